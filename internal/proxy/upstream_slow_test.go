package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
)

// An upstream that says nothing any more, until the client leaves: nobody is to
// blame, and the upstream is told.
func TestStalledUpstream(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + piece, "HTTP/1.1 400 Bad Request\r\nContent-Length: 99\r\n\r\n" + piece} {
		for _, stream := range []bool{true, false} {
			asked, left := make(chan struct{}), make(chan struct{})
			up := wired(t, func(w wire) {
				if r, _ := w.request(); r == nil {
					return
				}
				w.say(said)
				close(asked)
				w.gone()
				close(left)
			})
			r := start(t, fakeapi.Refusing(), to(t, up))
			c := ask(fakeapi.Anthropic, stream, cut())
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+c.path(), strings.NewReader(c.body()))
			must(t, err)
			go func() {
				<-asked
				cancel()
			}()
			if resp, err := r.client.Do(req); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			<-left
			if l := r.listed(); len(l) > 0 {
				t.Errorf("%q: remembered: %v", said, l)
			}
			if es := r.events(); len(es) > 0 && (es[0].Event != "upstream_error" || es[0].Status != 400) {
				t.Errorf("%q: %+v", said, es)
			}
		}
	}
}

// Bytes that drip pass one by one: the upstream sends the next one when the
// client has the one before.
func TestDrippingUpstream(t *testing.T) {
	t.Parallel()
	const events = "data: {\"a\":\"é\"}\r\n\r\n: x\n\n"
	const document = `{"content":[]}`
	const chunks = "Transfer-Encoding: chunked\r\n"
	cases := []struct{ name, status, kind, length, text string }{
		{"stream", "200 OK", "text/event-stream", chunks, events},
		{"JSON", "200 OK", "application/json", chunks, document},
		{"JSON of known length", "200 OK", "application/json", "Content-Length: 14\r\n", document},
		{"stream of known length", "200 OK", "text/event-stream", "Content-Length: 25\r\n", events},
		{"error", "400 Bad Request", "application/json", chunks, document},
	}
	for _, c := range cases {
		for _, path := range []string{"/v1/messages", "/v1/other"} {
			got := make(chan byte)
			up := wired(t, func(w wire) {
				if r, _ := w.request(); r == nil {
					return
				}
				w.say("HTTP/1.1 " + c.status + "\r\nContent-Type: " + c.kind + "\r\n" + c.length + "\r\n")
				before, after, end := "1\r\n", "\r\n", "0\r\n\r\n"
				if c.length != chunks {
					before, after, end = "", "", ""
				}
				for i := range len(c.text) {
					w.say(before + c.text[i:i+1] + after)
					if b, ok := <-got; !ok || b != c.text[i] {
						return
					}
				}
				w.say(end)
			})
			conn, err := net.Dial("tcp", behind(t, nil, to(t, up)))
			must(t, err)
			defer conn.Close()
			io.WriteString(conn, plainPost(path, ask(fakeapi.Anthropic, true).body())) // no image: an error is not read ahead
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			must(t, err)
			var all []byte
			for b := make([]byte, 1); err == nil; {
				if _, err = io.ReadFull(resp.Body, b); err == nil {
					all = append(all, b[0])
					got <- b[0]
				}
			}
			close(got)
			if string(all) != c.text || err != io.EOF {
				t.Errorf("%s %s: got %q, %v", c.name, path, all, err)
			}
		}
	}
}

// An upstream that refuses a large upload without reading it.
func TestAnswerBeforeTheUploadIsRead(t *testing.T) {
	t.Parallel()
	body := `{"model":"m","messages":[],"x":"` + strings.Repeat("x", 8<<20) + `"}` // more than the sockets take
	for _, path := range []string{"/v1/messages", "/v1/other"} {
		done := make(chan struct{})
		up := wired(t, func(w wire) {
			if _, err := http.ReadRequest(w.in); err == nil {
				w.say("HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large")
				<-done
			}
		})
		r := start(t, fakeapi.Refusing(), to(t, up))
		a, err := r.try(path, body)
		if close(done); err != nil || a.status != 413 || a.body != "too large" {
			t.Errorf("%s: %d %q, %v", path, a.status, a.body, err)
		}
	}
}
