package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
)

// aheadOfClient is more than is read ahead of an error of the client's.
const aheadOfClient = 1<<20 + 1

// An error that breaks off is passed on as far as it came. What it says of an
// image may be half of what it would have said: nothing is remembered.
func TestErrorsThatBreakOff(t *testing.T) {
	t.Parallel()
	const words = `{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}`
	ends := []struct {
		name, head, body string
		fail             func(w wire)
	}{
		{"closed", "Content-Length: 999\r\n", words, func(wire) {}},
		{"half-closed", "Content-Length: 999\r\n", words, func(w wire) { w.CloseWrite(); w.gone() }},
		{"within a word", "Content-Length: 999\r\n", words[:60], func(wire) {}},
		{"before a word", "Content-Length: 999\r\n", "", func(wire) {}},
		{"chunks without end", "Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n", len(words), words), func(wire) {}},
		{"large", "Content-Length: 5000000\r\n", strings.Repeat("x", aheadOfClient) + words, func(wire) {}},
	}
	for _, status := range []string{"400 Bad Request", "500 Internal Server Error"} {
		for _, e := range ends {
			for _, style := range []policy.Style{policy.Auto, policy.Repair} {
				t.Run(fmt.Sprint(status, e.name, style), func(t *testing.T) {
					t.Parallel()
					up := wired(t, func(w wire) {
						if r, _ := w.request(); r != nil {
							w.say("HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + e.head + "\r\n" + e.body)
							e.fail(w)
						}
					})
					send := to(t, up)
					r := start(t, fakeapi.Refusing(), func(c *proxy.Config) { send(c); c.Reply = style })
					c := ask(fakeapi.Anthropic, true, cut())
					want := e.body
					if strings.HasPrefix(e.head, "Transfer") {
						want = words
					}
					for range 2 { // the second would be short-circuited
						a, err := r.try(c.path(), c.body(), claude(1)...)
						if err == nil || a.body != want || !strings.HasPrefix(status, fmt.Sprint(a.status)) || a.header.Get("X-Imagebreaker") != "" {
							t.Errorf("got %d %.200q, %v; want %.200q", a.status, a.body, err, want)
						}
					}
					if es := r.wantEvents("upstream_error", "upstream_error"); string(es[0].ErrorKind) != "http_"+status[:1]+"xx" || es[0].Verdict != "" {
						t.Errorf("%+v", es[0])
					}
				})
			}
		}
	}
}
