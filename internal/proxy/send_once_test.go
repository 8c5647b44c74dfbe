package proxy_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/proxy"
)

var idempotent = [][]string{nil, {"Idempotency-Key", "k1"}, {"X-Idempotency-Key", "k1"}}

// A request that the upstream has read goes up once, whatever becomes of it.
func TestAPostIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/messages", "/v1/other"} {
		for _, key := range idempotent {
			var seen atomic.Int32
			up := wired(t, func(w wire) {
				for r, _ := w.request(); r != nil; r, _ = w.request() {
					if seen.Add(1) > 1 {
						return // it closes what was an idle connection
					}
					w.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
				}
			})
			r := start(t, fakeapi.Refusing(), to(t, up))
			body := ask(fakeapi.Anthropic, false).body()
			if a := r.send(path, body, key...); a.status != 200 {
				t.Fatalf("%s %v: %d %s", path, key, a.status, a.body)
			}
			if a := r.send(path, body, key...); a.status != http.StatusBadGateway {
				t.Errorf("%s %v: %d %s", path, key, a.status, a.body)
			}
			if n := seen.Load(); n != 2 {
				t.Errorf("%s %v: the upstream was asked %d times, want 2", path, key, n)
			}
		}
	}
}

// A POST without a body has nothing that would have to be kept for a retry.
func TestAnEmptyPostIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, key := range idempotent {
		var seen atomic.Int32
		up := wired(t, func(w wire) {
			for r, _ := w.request(); r != nil; r, _ = w.request() {
				if seen.Add(1) > 1 {
					return
				}
				w.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
			}
		})
		r := start(t, fakeapi.Refusing(), to(t, up))
		r.send("/v1/other", "", key...)
		r.send("/v1/other", "", key...)
		if n := seen.Load(); n != 2 {
			t.Errorf("%v: the upstream was asked %d times, want 2", key, n)
		}
	}
}

// mortal is a connection that takes nothing any more once it is dead.
type mortal struct {
	net.Conn
	dead *atomic.Bool
}

func (m mortal) Write(p []byte) (int, error) {
	if m.dead.Load() {
		return 0, errors.New("dead")
	}
	return m.Conn.Write(p)
}

// mortals dials connections of which only the first dies.
func mortals(dead *atomic.Bool) func(context.Context, string, string) (net.Conn, error) {
	var first sync.Once
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err == nil {
			first.Do(func() { conn = mortal{conn, dead} })
		}
		return conn, err
	}
}

// A connection that died while it was idle costs nothing: nothing has been
// written to it.
func TestDeadIdleConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	for _, key := range idempotent {
		var dead atomic.Bool
		r := start(t, fakeapi.Refusing(), func(c *proxy.Config) { c.Transport.(*http.Transport).DialContext = mortals(&dead) })
		c := ask(fakeapi.Anthropic, false, good()).then(strings.Repeat("x", 100<<10))
		r.passed(c, key...)
		dead.Store(true)
		if a := r.passed(c, key...); a.status != 200 {
			t.Errorf("%v: %d %s", key, a.status, a.body)
		}
		seen := r.api.Requests()
		if len(seen) != 2 {
			t.Errorf("%v: %d requests", key, len(seen))
		}
		if key != nil && seen[1].Header.Get(key[0]) != key[1] {
			t.Errorf("%s did not arrive: %v", key[0], seen[1].Header)
		}
	}
}
