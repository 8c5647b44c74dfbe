package e2e_test

import (
	"bytes"
	"net/http"
	"sync"

	"imagebreaker/internal/fakeapi"
)

// copied is an answer on its way to the SDK, and a copy of it.
type copied struct {
	http.ResponseWriter
	mu   sync.Mutex // the SDK can be done before the handler is
	kind string     // its Content-Type
	body bytes.Buffer
}

// Unwrap lets the proxy flush.
func (c *copied) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *copied) WriteHeader(status int) {
	c.mu.Lock()
	c.kind = c.Header().Get("Content-Type")
	c.mu.Unlock()
	c.ResponseWriter.WriteHeader(status)
}

func (c *copied) Write(b []byte) (int, error) {
	c.mu.Lock()
	c.body.Write(b)
	c.mu.Unlock()
	return c.ResponseWriter.Write(b)
}

// wantForm wants the last answer to have been what was asked for, where an SDK
// may read it all the same.
func (r *rig) wantForm(stream bool) {
	r.Helper()
	c := r.last.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	want := "application/json"
	switch {
	case stream && (r.api() == fakeapi.Converse || r.api() == fakeapi.Invoke):
		want = "application/vnd.amazon.eventstream"
	case stream:
		want = "text/event-stream"
	}
	if c.kind != want {
		r.Errorf("the answer came as %q, want %q", c.kind, want)
	}
	if stream && r.api() == fakeapi.Chat && !bytes.HasSuffix(c.body.Bytes(), []byte("\n\ndata: [DONE]\n\n")) {
		r.Errorf("the stream has no end: %q", c.body.Bytes())
	}
}
