package proxy

import (
	"net/http"
	"strings"
)

// plain keeps the server from adding to an answer what the upstream did not
// send, and from cutting fast answers: without full duplex it begins to
// discard the request's rest as soon as the answer begins, while the
// transport still reads it.
func plain(w http.ResponseWriter, r *http.Request) *plainWriter {
	_ = http.NewResponseController(w).EnableFullDuplex() // an error means HTTP/2, which is full duplex
	bare(w.Header())
	return &plainWriter{ResponseWriter: w, in: r}
}

// bare keeps the server from filling in what the upstream did not say.
func bare(h http.Header) { h["Date"], h["Content-Type"] = nil, nil }

// plainWriter passes informational answers (1xx) on as the client can take them.
type plainWriter struct {
	http.ResponseWriter
	in      *http.Request
	interim bool // there was one, after which the forwarder empties the header
	begun   bool // the answer's own head was written
}

// Header is the answer's, as plain has left it.
func (w *plainWriter) Header() http.Header {
	h := w.ResponseWriter.Header()
	if w.interim {
		w.interim = false
		bare(h)
	}
	return h
}

// WriteHeader leaves out a 1xx that the client does not know or has had.
func (w *plainWriter) WriteHeader(status int) {
	w.interim = status < 200 && status != http.StatusSwitchingProtocols
	w.begun = !w.interim
	if !w.interim || w.takes(status) {
		w.ResponseWriter.WriteHeader(status)
	}
}

// takes tells whether the client can take a 1xx. HTTP/1.0 has none, and who
// asked whether to go on was told so when the body was read.
func (w *plainWriter) takes(status int) bool {
	asked := status == http.StatusContinue && strings.EqualFold(w.in.Header.Get("Expect"), "100-continue")
	return w.in.ProtoAtLeast(1, 1) && !asked
}

// breakOff is to be deferred. An answer that is given up may have its head still
// in a buffer: the client gets that, as it would have got it without us.
func (w *plainWriter) breakOff() {
	if !w.begun {
		return
	}
	if fault := recover(); fault != nil {
		_ = http.NewResponseController(w).Flush() // in vain if it is the client that left
		panic(fault)
	}
}

// Unwrap is for http.ResponseController.
func (w *plainWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
