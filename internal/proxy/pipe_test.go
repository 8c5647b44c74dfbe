package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// pipes is a listener whose connections are pipes in memory: what is written
// has been taken by the other side when the write returns.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
	close   func()
}

func newPipes() pipes {
	p := pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error { p.close(); return nil }

func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// pipe is a client's end.
type pipe struct {
	net.Conn
	in *bufio.Reader
}

// piped serves h over pipes until the test ends, and returns how to dial.
func piped(t *testing.T, h http.Handler) func() pipe {
	t.Helper()
	ln := newPipes()
	var serving, answering sync.WaitGroup
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answering.Add(1)
		defer answering.Done()
		h.ServeHTTP(w, r)
	})}
	serving.Go(func() { server.Serve(ln) })
	t.Cleanup(func() {
		server.Close()
		serving.Wait()
		answering.Wait()
	})
	return func() pipe {
		mine, its := net.Pipe()
		ln.dialled <- its
		t.Cleanup(func() { mine.Close() })
		return pipe{mine, bufio.NewReader(mine)}
	}
}

// say returns when the server has taken it all.
func (p pipe) say(s string) { io.WriteString(p, s) }

// drip says it byte by byte.
func (p pipe) drip(s string) {
	for i := range len(s) {
		p.say(s[i : i+1])
	}
}

// answer reads the next answer to its end.
func (p pipe) answer(t *testing.T) answer {
	t.Helper()
	resp, err := http.ReadResponse(p.in, nil)
	must(t, err)
	if resp.StatusCode < 200 {
		return answer{resp.StatusCode, resp.Header, ""}
	}
	b, err := io.ReadAll(resp.Body)
	must(t, err)
	return answer{resp.StatusCode, resp.Header, string(b)}
}
