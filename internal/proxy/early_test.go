package proxy_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
)

// long is a message that is long enough to be inspected while it is received.
func long(images ...picture) talk {
	return ask(fakeapi.Anthropic, false, images...).then(strings.Repeat("words ", 40<<10))
}

// TestEarlyDispatch wants the beginning of a long body to be at the upstream before
// the client has sent the end, but for those that may have to be rejected.
func TestEarlyDispatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		failed  []string // the headers of a request that failed before; nil: none did
		headers []string
		set     func(*proxy.Config)
		early   bool
	}{
		{name: "nothing is known", early: true},
		{name: "a failure of nobody's", failed: []string{"X", "y"}},
		{name: "a failure of another session", failed: session(1), headers: session(2)},
		{name: "a failure of another session of Claude Code", failed: claude(1), headers: claude(2), early: true},
		{name: "a failure of the same session of Claude Code", failed: claude(1), headers: claude(1)},
		{name: "a substitution", failed: session(1), headers: claude(2), set: func(c *proxy.Config) { c.Reply = policy.Repair }},
		{name: "preflight", set: func(c *proxy.Config) { c.Preflight = true }},
		{name: "who waits for leave to send", headers: []string{"Expect", "100-continue"}},
		{name: "a packed body", headers: []string{"Content-Encoding", "gzip"}},
		{name: "dry-run", early: true, set: func(c *proxy.Config) { c.Mode = policy.DryRun }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bad := cut()
			began := make(chan bool, 9) // a request's first bytes are there
			up := wired(t, func(w wire) {
				for {
					if _, err := w.in.Peek(1 << 10); err != nil {
						return
					}
					began <- true
					r, body := w.request()
					if r == nil {
						return
					}
					w.say(answerTo(body, bad.needle()))
				}
			})
			r := start(t, fakeapi.Refusing(), func(k *proxy.Config) {
				to(t, up)(k)
				if c.set != nil {
					c.set(k)
				}
			})
			if c.failed != nil {
				r.post(long(bad), c.failed...)
				for len(began) > 0 {
					<-began
				}
			}
			body := long(good()).body()
			rest, more := io.Pipe()
			req, err := http.NewRequest(http.MethodPost, r.url+"/v1/messages", io.MultiReader(strings.NewReader(body[:len(body)-9]), rest))
			must(t, err)
			req.ContentLength = int64(len(body))
			for i := 0; i+1 < len(c.headers); i += 2 {
				req.Header.Set(c.headers[i], c.headers[i+1])
			}
			go func() {
				if c.early {
					<-began // or the test hangs
				}
				if early := len(began) > 0; early && !c.early {
					t.Error("it went up early")
				}
				io.WriteString(more, body[len(body)-9:])
				more.Close()
			}()
			resp, err := r.client.Do(req)
			must(t, err)
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%d", resp.StatusCode)
			}
		})
	}
}

// answerTo refuses a body with the needle, as Anthropic does.
func answerTo(body, needle string) string {
	status, answer := "200 OK", `{"type":"message","content":[]}`
	if strings.Contains(body, needle) {
		status, answer = "400 Bad Request", string(fakeapi.BadImage(fakeapi.Anthropic).Body)
	}
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(answer), answer)
}

// What went up early is judged, remembered and rejected like everything else.
func TestEarlyRequestsAreRemembered(t *testing.T) {
	t.Parallel()
	bad := cut()
	r := start(t, fakeapi.Refusing(bad.needle()), nil)
	c := long(good(), bad)
	r.passed(c, session(1)...)
	r.rejected(c, session(1)...)
	r.passed(long(good()), session(1)...)
	r.wantEvents("failure_recorded", "short_circuited")
}

// A client that leaves in the middle of an early request ends it for the upstream
// as well. Nothing is told and nothing remembered.
func TestClientLeavesAnEarlyRequest(t *testing.T) {
	t.Parallel()
	began, over := make(chan bool), make(chan error, 1)
	up := wired(t, func(w wire) {
		w.in.Peek(1 << 10)
		close(began)
		_, err := io.Copy(io.Discard, w.in)
		over <- err
	})
	r := start(t, fakeapi.Refusing(), to(t, up))
	p := piped(t, r.proxy)()
	all := plainPost("/v1/messages", long(cut()).body())
	p.say(all[:len(all)/2])
	<-began
	p.Close()
	<-over
	if es := r.events(); len(es) != 0 {
		t.Errorf("%+v", es)
	}
}

// An upstream that answers before it has all is heard when the client has sent
// all.
func TestAnswerBeforeTheEnd(t *testing.T) {
	t.Parallel()
	up := wired(t, func(w wire) {
		w.in.Peek(1 << 10)
		w.say("HTTP/1.1 413 Too Much\r\nContent-Length: 4\r\n\r\nmuch")
		w.gone()
	})
	r := start(t, fakeapi.Refusing(), to(t, up))
	if a := r.post(long(good())); a.status != 413 || a.body != "much" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if es := r.wantEvents("upstream_error"); es[0].ImagesTotal != 1 || es[0].Status != 413 {
		t.Errorf("%+v", es[0])
	}
}

// Bodies are read into memory that others had before. Each must come out as it
// was, whatever becomes of those beside it.
func TestBuffersAreNotMixed(t *testing.T) {
	t.Parallel()
	r := start(t, func(q fakeapi.Request) fakeapi.Answer {
		return fakeapi.JSON(http.StatusOK, fmt.Sprintf(`{"sum":"%x"}`, sha256.Sum256(q.Body)))
	}, nil)
	var all sync.WaitGroup
	for client := range 8 {
		all.Go(func() {
			for n := range 12 {
				body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%s"}]}`, strings.Repeat(fmt.Sprint(client, n), 20000+7000*client))
				want := fmt.Sprintf(`{"sum":"%x"}`, sha256.Sum256([]byte(body)))
				if a := r.send("/v1/messages", body); a.body != want {
					t.Errorf("client %d's body %d came out otherwise: %s", client, n, a.body)
				}
			}
		})
	}
	all.Wait()
}

// A client that stops sending may wait for an answer that is there: it gets it
// after a while, whatever it is.
func TestAnswerToAPausingClient(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer func(w wire)
		status int
	}{
		{"an error", func(w wire) { w.say("HTTP/1.1 413 Too Much\r\nContent-Length: 4\r\n\r\nmuch"); w.gone() }, 413},
		{"a success", func(w wire) { w.say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmuch"); w.gone() }, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			up := wired(t, func(w wire) {
				w.in.Peek(1 << 10)
				c.answer(w)
			})
			r := start(t, fakeapi.Refusing(), func(k *proxy.Config) {
				to(t, up)(k)
				k.ErrorWait = time.Millisecond
			})
			p := piped(t, r.proxy)()
			all := plainPost("/v1/messages", long(cut()).body())
			p.say(all[:len(all)/2])
			if a := p.answer(t); a.status != c.status {
				t.Errorf("%d %s, want %d", a.status, a.body, c.status)
			}
			io.Copy(io.Discard, p) // until the proxy has done with it
			es := r.wantEvents("forwarded_unseen")
			if es[0].ClientStatus != c.status || es[0].Reason != "answered_early" {
				t.Errorf("%+v", es[0])
			}
		})
	}
}

// Chunks that are none are the client's fault, and it is told so.
func TestMalformedChunks(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), nil)
	p := piped(t, r.proxy)()
	p.say("POST /v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
	if a := p.answer(t); a.status != 400 || !strings.Contains(a.body, "invalid_request_error") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if n := len(r.api.Requests()); n != 0 {
		t.Errorf("%d requests went up", n)
	}
}
