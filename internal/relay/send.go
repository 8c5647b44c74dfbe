package relay

import (
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"
)

// errSwitched is of an upstream that goes on in a protocol that nobody has asked for.
var errSwitched = errors.New("the upstream has switched to another protocol unasked")

// Send sends a request up and returns the head of the answer, without what is of the
// upstream's connection only. Informational answers (1xx) go to w as they come. The
// answer's body is the caller's to close.
func Send(w *Writer, out *http.Request, transport http.RoundTripper) (*http.Response, error) {
	var mu sync.Mutex
	over := false
	out = out.WithContext(httptrace.WithClientTrace(out.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(status int, header textproto.MIMEHeader) error {
			mu.Lock()
			defer mu.Unlock()
			if !over {
				w.writeInterim(status, http.Header(header))
			}
			return nil
		},
	}))
	resp, err := transport.RoundTrip(out)
	mu.Lock()
	over = true // the writer is the answer's now
	mu.Unlock()
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body.Close()
		err = errSwitched
	}
	if err != nil {
		return nil, err
	}
	removeHopByHop(resp.Header)
	return resp, nil
}

// writeInterim writes an informational answer, whose headers are its own.
func (w *Writer) writeInterim(status int, header http.Header) {
	h := w.Header()
	for name, values := range header {
		h[name] = values
	}
	w.WriteHeader(status)
	clear(h)
}
