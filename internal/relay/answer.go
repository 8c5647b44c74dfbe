package relay

import (
	"io"
	"net/http"
	"strings"
	"sync"
)

// Answer copies an upstream's answer to the client, from a body that wraps its own, and
// closes it. Whatever arrives goes on at once. An answer that breaks off is broken off for the client too: it
// panics with http.ErrAbortHandler.
func Answer(w *Writer, resp *http.Response, body io.ReadCloser) {
	defer body.Close()
	h := w.Header()
	for name, values := range resp.Header {
		h[name] = values
	}
	announced := len(resp.Trailer)
	if announced > 0 {
		h["Trailer"] = []string{trailerNames(resp.Trailer)}
	}
	w.WriteHeader(resp.StatusCode)
	control := http.NewResponseController(w)
	if copyNow(w, body, control) != nil {
		panic(http.ErrAbortHandler)
	}
	body.Close() // now, since it fills in the trailers
	if len(resp.Trailer) == 0 {
		return
	}
	_ = control.Flush() // so that a short body does not get a length, which has no trailers
	prefix := ""
	if len(resp.Trailer) != announced {
		prefix = http.TrailerPrefix
	}
	for name, values := range resp.Trailer {
		h[prefix+name] = values
	}
}

func trailerNames(t http.Header) string {
	var names []string
	for name := range t {
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

var copyBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// copyNow passes on what it reads, and the head before it.
func copyNow(w *Writer, body io.Reader, control *http.ResponseController) error {
	buf := copyBuffers.Get().(*[32 << 10]byte)
	defer copyBuffers.Put(buf)
	for {
		_ = control.Flush() // what it cannot, the next write tells
		n, err := body.Read(buf[:])
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
