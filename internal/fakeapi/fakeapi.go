// Package fakeapi is an upstream whose answers are scripted, for tests and for
// the demo. It speaks on a loopback address and remembers what it was sent.
package fakeapi

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Request is a request as the upstream saw it.
type Request struct {
	N      int // from 1
	Method string
	URI    string // path and query as on the wire
	Host   string
	Header http.Header
	Body   []byte
	Length int64           // Content-Length; -1 if chunked
	Gone   <-chan struct{} // closed when the caller leaves
}

// Answer is what the upstream says.
type Answer struct {
	Status int // zero: 200
	Header http.Header
	Body   []byte
	Pieces []string      // instead of Body: written and flushed one by one
	Hold   chan struct{} // the pieces after the first wait for it to close; nil: they do not
	Before chan struct{} // nothing at all is said before it closes; nil: at once
	Die    bool          // cut the connection after the last piece
}

// Script picks the answer to a request.
type Script func(Request) Answer

// Server is a running upstream.
type Server struct {
	URL    string
	http   *http.Server
	mu     sync.Mutex
	script Script
	seen   []Request
}

// Start runs an upstream until Close.
func Start(s Script) (*Server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	u := &Server{URL: "http://" + ln.Addr().String(), script: s}
	u.http = &http.Server{Handler: http.HandlerFunc(u.serve), ReadHeaderTimeout: time.Minute}
	go u.http.Serve(ln)
	return u, nil
}

// Close ends the upstream and every connection to it.
func (u *Server) Close() { u.http.Close() }

// Play replaces the script.
func (u *Server) Play(s Script) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.script = s
}

// Requests lists what has arrived.
func (u *Server) Requests() []Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]Request(nil), u.seen...)
}

// Uploads counts the requests whose body contains s.
func (u *Server) Uploads(s string) int {
	n := 0
	for _, r := range u.Requests() {
		if bytes.Contains(r.Body, []byte(s)) {
			n++
		}
	}
	return n
}

func (u *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	seen := Request{
		Method: r.Method, URI: r.RequestURI, Host: r.Host, Header: r.Header.Clone(),
		Body: body, Length: r.ContentLength, Gone: r.Context().Done(),
	}
	u.mu.Lock()
	seen.N = len(u.seen) + 1
	u.seen = append(u.seen, seen)
	script := u.script
	u.mu.Unlock()
	script(seen).write(w, seen.Gone)
}

func (a Answer) write(w http.ResponseWriter, gone <-chan struct{}) {
	if !wait(a.Before, gone) {
		panic(http.ErrAbortHandler)
	}
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	w.WriteHeader(a.Status)
	w.Write(a.Body)
	flush := http.NewResponseController(w).Flush
	for i, p := range a.Pieces {
		if i == 1 && !wait(a.Hold, gone) {
			return
		}
		io.WriteString(w, p)
		if flush() != nil {
			return
		}
	}
	if a.Die {
		flush()
		panic(http.ErrAbortHandler)
	}
}

// wait returns false if the caller left first.
func wait(c chan struct{}, gone <-chan struct{}) bool {
	if c == nil {
		return true
	}
	select {
	case <-c:
		return true
	case <-gone:
		return false
	}
}
