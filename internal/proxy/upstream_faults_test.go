package proxy_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/proxy"
)

// fault is an upstream that fails once.
type fault struct {
	name string
	dial error                               // of the connection; nil: it stands
	do   func(w wire, began <-chan struct{}) // with the connection, once the request was read
	want string                              // what the client gets of the answer before it breaks off
	ends bool                                // for the client it ends well
	own  int                                 // the status of our own answer instead
	says string                              // a part of its text
}

// piece is what the upstream has said when it fails in the middle.
const piece = `{"type":"message",`

// faults are those before the first byte of an answer and those after it.
// began is closed when the client has the piece.
var faults = []fault{
	{name: "refused", dial: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: connection refused")}, own: 502, says: "connection refused"},
	{name: "no such name", dial: &net.DNSError{Err: "no such host", Name: "api.example.test", IsNotFound: true}, own: 502, says: "no such host"},
	{name: "no answer from the name server", dial: &net.DNSError{Err: "i/o timeout", Name: "api.example.test", IsTimeout: true}, own: 504, says: "in time"},
	{name: "closed", do: func(w wire, _ <-chan struct{}) {}, own: 502, says: "EOF"},
	{name: "reset", do: func(w wire, _ <-chan struct{}) { w.reset() }, own: 502, says: "reset"},
	{name: "half-closed", do: func(w wire, _ <-chan struct{}) { w.CloseWrite(); w.gone() }, own: 502, says: "EOF"},
	{name: "a head that ends early", do: func(w wire, _ <-chan struct{}) { w.say("HTTP/1.1 200 OK\r\nX-A: 1\r\n") }, own: 502, says: "EOF"},
	{name: "no HTTP", do: func(w wire, _ <-chan struct{}) { w.say("220 mail.example.test ESMTP\r\n") }, own: 502, says: "malformed HTTP"},
	{name: "a bad length", do: func(w wire, _ <-chan struct{}) { w.say("HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n") }, own: 502, says: "Content-Length"},
	{name: "two lengths", do: func(w wire, _ <-chan struct{}) {
		w.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ")
	}, own: 502, says: "Content-Length"},
	{name: "a head without end", do: endlessHead, own: 502, says: "response headers exceeded"},
	{name: "closed in the middle", do: counted(func(w wire) {}), want: piece},
	{name: "reset in the middle", do: counted(func(w wire) { w.reset() }), want: piece},
	{name: "half-closed in the middle", do: counted(func(w wire) { w.CloseWrite(); w.gone() }), want: piece},
	{name: "fewer bytes than promised", do: func(w wire, _ <-chan struct{}) { w.say("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + piece) }, want: piece},
	{name: "more bytes than promised", do: func(w wire, _ <-chan struct{}) {
		w.say("HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n" + piece + "SURPLUS")
	}, want: piece, ends: true},
	{name: "chunks without end", do: chunked(""), want: piece},
	{name: "a chunk cut short", do: chunked("8\r\nabc"), want: piece + "abc"},
	{name: "a bad chunk", do: chunked("zz\r\nabc"), want: piece},
	{name: "no length at all", do: func(w wire, _ <-chan struct{}) { w.say("HTTP/1.1 200 OK\r\n\r\n" + piece) }, want: piece, ends: true},
}

// counted fails in a body of known length.
func counted(fail func(w wire)) func(wire, <-chan struct{}) {
	return func(w wire, began <-chan struct{}) {
		w.say("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + piece)
		<-began
		fail(w)
	}
}

// chunked ends a body of chunks with something that is no end.
func chunked(last string) func(wire, <-chan struct{}) {
	return func(w wire, began <-chan struct{}) {
		w.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n12\r\n" + piece + "\r\n")
		<-began
		w.say(last)
	}
}

// endlessHead would go on to 100 MB.
func endlessHead(w wire, _ <-chan struct{}) {
	w.say("HTTP/1.1 200 OK\r\n")
	line := "X-Much: " + strings.Repeat("x", 32<<10) + "\r\n"
	for range 100 << 20 / len(line) {
		if _, err := io.WriteString(w, line); err != nil {
			return
		}
	}
}

// first makes a transport's first connection go elsewhere, or fail.
func first(f fault, elsewhere string) func(*proxy.Config) {
	var n atomic.Int32
	return func(c *proxy.Config) {
		c.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if n.Add(1) == 1 {
				if addr = elsewhere; f.dial != nil {
					return nil, f.dial
				}
			}
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		}
	}
}

// begin sends a turn and reads the beginning of the answer, if there is one.
func (r *rig) begin(c talk, want int) (resp *http.Response, begun string) {
	r.Helper()
	resp, err := r.client.Post(r.url+c.path(), "application/json", strings.NewReader(c.body()))
	must(r.T, err)
	r.Cleanup(func() { resp.Body.Close() })
	b := make([]byte, want)
	n, _ := io.ReadFull(resp.Body, b)
	return resp, string(b[:n])
}

// Whatever an upstream does, the client gets what it would have got directly,
// or is told; and nothing is remembered of the image.
func TestUpstreamFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		for _, stream := range []bool{true, false} {
			t.Run(f.name+map[bool]string{true: ", stream", false: ", JSON"}[stream], func(t *testing.T) {
				t.Parallel()
				began := make(chan struct{})
				bad := wired(t, func(w wire) {
					if r, _ := w.request(); r != nil {
						f.do(w, began)
					}
				})
				r := start(t, fakeapi.Refusing(), first(f, bad))
				c := ask(fakeapi.Anthropic, stream, cut())
				resp, begun := r.begin(c, min(len(f.want), len(piece)))
				close(began)
				rest, err := io.ReadAll(resp.Body)
				a := answer{resp.StatusCode, resp.Header, begun + string(rest)}
				if f.own != 0 {
					a.tells(t, f.own, f.says)
				} else if a.status != 200 || a.body != f.want || (err == nil) != f.ends {
					t.Errorf("got %d %q, %v; want %q, ends well: %t", a.status, a.body, err, f.want, f.ends)
				}
				if l := r.listed(); len(l) > 0 {
					t.Errorf("remembered: %v", l)
				}
				r.passed(c).untouched(t, fakeapi.Success(fakeapi.Anthropic, stream, "all good"))
				r.wantFault(f)
			})
		}
	}
}

// tells wants an answer of our own that says why there is no other.
func (a answer) tells(t *testing.T, status int, why string) {
	t.Helper()
	if a.status != status || !strings.Contains(a.body, why) || !strings.HasPrefix(a.body, `{"type":"error","error":{"type":"`) || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("got %d %q %.300s, want %d that says %q", a.status, a.header.Get("Content-Type"), a.body, status, why)
	}
}

// wantFault wants the fault logged as one of the network, if it was one.
func (r *rig) wantFault(f fault) {
	r.Helper()
	if f.ends {
		r.wantEvents()
		return
	}
	e := r.wantEvents("upstream_error")[0]
	if e.ErrorKind != "network" || e.RetryDecision != "retryable_network" || e.Signature != "" || f.own != 0 && e.ClientStatus != f.own {
		r.Errorf("%+v", e)
	}
}

// An answer that ends with its connection proves something only if it says itself
// that it is whole.
func TestEndOfTheConnection(t *testing.T) {
	t.Parallel()
	whole := fakeapi.Success(fakeapi.Anthropic, false, "all good").Body
	events := []byte(strings.Join(fakeapi.Success(fakeapi.Anthropic, true, "all good").Pieces, ""))
	for _, c := range []struct {
		name, contentType string
		body              []byte
		proves            bool
	}{
		{"a document", "application/json", whole, true},
		{"half a document", "application/json", whole[:len(whole)/2], false},
		{"no document", "application/json", nil, false},
		{"a stream", "text/event-stream", events, true},
		{"half a stream", "text/event-stream", events[:len(events)/2], false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bad := cut()
			up := wired(t, func(w wire) {
				if r, body := w.request(); r == nil {
					return
				} else if w.n == 1 {
					w.say(answerTo(body, bad.needle()))
					w.request()
				}
				w.say("HTTP/1.1 200 OK\r\nContent-Type: " + c.contentType + "\r\nConnection: close\r\n\r\n" + string(c.body))
			})
			r := start(t, fakeapi.Refusing(), to(t, up))
			q := ask(fakeapi.Anthropic, c.contentType != "application/json", bad)
			r.post(q, session(1)...)
			r.clock.advance(31 * time.Second)
			r.post(q, session(1)...) // the probe
			second := "probe_sent"
			if c.proves {
				second = "recovered"
			}
			r.wantEvents("failure_recorded", second)
		})
	}
}
