package relay

import (
	"net/http"
	"strings"
)

// Writer writes the answer to a client as an upstream would have: it adds nothing to
// the head, and passes informational answers (1xx) on as the client can take them.
// Make one with NewWriter.
type Writer struct {
	http.ResponseWriter
	in      *http.Request
	interim bool // there was one, after which ReverseProxy empties the header
	begun   bool // the answer's own head was written
}

// NewWriter returns a writer for the answer to r. It keeps the server from cutting
// fast answers: without full duplex that begins to discard the request's rest as soon
// as the answer begins, while the transport still reads it.
func NewWriter(w http.ResponseWriter, r *http.Request) *Writer {
	_ = http.NewResponseController(w).EnableFullDuplex() // an error means HTTP/2, which is full duplex
	bare(w.Header())
	return &Writer{ResponseWriter: w, in: r}
}

// bare keeps the server from filling in what the upstream did not say.
func bare(h http.Header) { h["Date"], h["Content-Type"] = nil, nil }

// Header is the answer's, as NewWriter has left it.
func (w *Writer) Header() http.Header {
	h := w.ResponseWriter.Header()
	if w.interim {
		w.interim = false
		bare(h)
	}
	return h
}

// WriteHeader leaves out a 1xx that the client does not know or has had.
func (w *Writer) WriteHeader(status int) {
	w.interim = status < 200 && status != http.StatusSwitchingProtocols
	w.begun = !w.interim
	if !w.interim || w.takes(status) {
		w.ResponseWriter.WriteHeader(status)
	}
}

// takes tells whether the client can take a 1xx. HTTP/1.0 has none, and who
// asked whether to go on was told so when the body was read.
func (w *Writer) takes(status int) bool {
	asked := status == http.StatusContinue && strings.EqualFold(w.in.Header.Get("Expect"), "100-continue")
	return w.in.ProtoAtLeast(1, 1) && !asked
}

// FlushOnAbort is to be deferred. An answer that is given up may have its head still
// in a buffer: the client gets that, as it would have got it from the upstream.
func (w *Writer) FlushOnAbort() {
	if !w.begun {
		return
	}
	if fault := recover(); fault != nil {
		_ = http.NewResponseController(w).Flush() // in vain if it is the client that left
		panic(fault)
	}
}

// Unwrap is for http.ResponseController.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
