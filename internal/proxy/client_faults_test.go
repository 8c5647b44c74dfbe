package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
)

// unhurried sends one piece and stays open.
func unhurried(first string) fakeapi.Answer {
	return fakeapi.Answer{Header: http.Header{"Content-Type": {"text/event-stream"}}, Pieces: []string{first, "never"}, Hold: make(chan struct{})}
}

// A client leaves while it is sending: nothing has gone up, and nobody is to
// blame.
func TestClientLeavesWhileSending(t *testing.T) {
	t.Parallel()
	c := ask(fakeapi.Anthropic, true, cut())
	head := func(rest string) string { return "POST " + c.path() + " HTTP/1.1\r\nHost: x\r\n" + rest }
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(c.body()))
	cases := []struct{ name, says string }{
		{"nothing", ""},
		{"half a method", "PO"},
		{"half a head", head("Content-Le")},
		{"a head", head(length)},
		{"half a body", head(length + c.body()[:len(c.body())/2])},
		{"all but a byte", head(length + c.body()[:len(c.body())-1])},
		{"half a chunk", head("Transfer-Encoding: chunked\r\n\r\nff\r\n{\"mod")},
		{"chunks without end", head(fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(c.body()), c.body()))},
		{"more than memory holds", head("Content-Length: 9223372036854775807\r\n\r\n{")},
	}
	r := start(t, fakeapi.Refusing(), nil)
	dial := piped(t, r.proxy)
	silent := dial() // says nothing, and stays
	for _, k := range cases {
		p := dial()
		p.say(k.says)
		p.Close()
		if n := len(r.api.Requests()); n != 0 {
			t.Errorf("%s: %d requests went up", k.name, n)
		}
	}
	silent.say(plainPost("/v1/messages", c.body()))
	if a := silent.answer(t); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, e := range r.events() {
		if e.Event != "forwarded_unseen" || e.ErrorKind != "" { // the last one, as far as it came
			t.Errorf("%+v", e)
		}
	}
}

// A client leaves while it is being answered: the upstream is told.
func TestClientLeavesWhileWaiting(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		answer fakeapi.Answer
		hears  int // bytes, before it leaves
	}{
		{"before the answer", fakeapi.Answer{Before: make(chan struct{})}, 0},
		{"after a byte", unhurried("data: 1\n\n"), 1},
		{"in the stream", unhurried("data: 1\n\n"), 120},
	}
	for _, k := range cases {
		for _, path := range []string{"/v1/messages", "/v1/other"} {
			asked := make(chan (<-chan struct{}), 1)
			r := start(t, func(q fakeapi.Request) fakeapi.Answer { asked <- q.Gone; return k.answer }, nil)
			c := ask(fakeapi.Anthropic, true, cut())
			p := piped(t, r.proxy)()
			p.say(plainPost(path, c.body()))
			gone := <-asked
			if _, err := io.CopyN(io.Discard, p, int64(k.hears)); err != nil {
				t.Errorf("%s: %v", k.name, err)
			}
			p.Close()
			<-gone
			if l := r.listed(); len(l) > 0 {
				t.Errorf("%s: remembered: %v", k.name, l)
			}
			r.wantEvents()
		}
	}
}

// However slowly a request comes, it is the same request.
func TestDrippingClient(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), nil)
	dial := piped(t, r.proxy)
	body := ask(fakeapi.Anthropic, true, good()).body()
	var chunks strings.Builder
	for i := range len(body) {
		fmt.Fprintf(&chunks, "1\r\n%s\r\n", body[i:i+1])
	}
	for _, path := range []string{"/v1/messages", "/v1/other"} {
		for _, request := range []string{
			plainPost(path, body),
			"POST " + path + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks.String() + "0\r\n\r\n",
		} {
			p := dial()
			p.drip(request)
			if a := p.answer(t); a.status != 200 {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
			seen := r.api.Requests()
			if got := string(seen[len(seen)-1].Body); got != body {
				t.Errorf("%s: the upstream saw %q", path, got)
			}
		}
	}
}

// What follows a request on its connection is another one, or none.
func TestPipelinedRequests(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), nil)
	p := piped(t, withPages(r.proxy))()
	post := func(path, body string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	}
	one, two := ask(fakeapi.Anthropic, true).body(), ask(fakeapi.Chat, false).body()
	p.say(post("/v1/messages", one) + "GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n" + post("/v1/chat/completions", two) + post("/v1/other", "{}") + "SURPLUS\r\n\r\n")
	for i, want := range []string{"message_stop", "ok\n", "chat.completion", "", "400 Bad Request"} {
		if a := p.answer(t); !strings.Contains(a.body, want) {
			t.Errorf("answer %d: %d %q, want %q", i, a.status, a.body, want)
		}
	}
	if _, err := p.in.ReadByte(); err != io.EOF {
		t.Errorf("the connection lives on: %v", err)
	}
	var got []string
	for _, q := range r.api.Requests() {
		got = append(got, q.URI+" "+string(q.Body))
	}
	if want := "/v1/messages " + one + "\n/v1/chat/completions " + two + "\n/v1/other {}"; strings.Join(got, "\n") != want {
		t.Errorf("the upstream saw %q, want %q", got, want)
	}
}

// A client that asks first is told to go on before it has sent the body.
func TestExpect(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), nil)
	dial := piped(t, r.proxy)
	body := ask(fakeapi.Anthropic, false, good()).body()
	for _, path := range []string{"/v1/messages", "/v1/other"} {
		p := dial()
		p.say(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", path, len(body)))
		if a := p.answer(t); a.status != http.StatusContinue {
			t.Fatalf("%s: %d", path, a.status)
		}
		p.say(body)
		if a := p.answer(t); a.status != 200 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		seen := r.api.Requests()
		if got := string(seen[len(seen)-1].Body); got != body {
			t.Errorf("%s: the upstream saw %q", path, got)
		}
	}
	p := dial()
	p.say(plainPost("/v1/messages", "", "Expect: the-unexpected"))
	if a := p.answer(t); a.status != http.StatusExpectationFailed || len(r.api.Requests()) != 2 {
		t.Errorf("%d, %d went up", a.status, len(r.api.Requests()))
	}
}

// HTTP/1.0 gets the stream without chunks, and the end of the connection for
// its end.
func TestHTTP10Client(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{policy.On, policy.Off} {
		r := start(t, fakeapi.Refusing(), func(c *proxy.Config) { c.Mode = mode })
		body := ask(fakeapi.Anthropic, true).body()
		got := raw(t, strings.TrimPrefix(r.url, "http://"), fmt.Sprintf("POST /v1/messages HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		head, rest, _ := strings.Cut(got, "\r\n\r\n")
		if want := fakeapi.Success(fakeapi.Anthropic, true, "all good"); !strings.HasPrefix(head, "HTTP/1.0 200") || strings.Contains(head, "Transfer-Encoding") || rest != strings.Join(want.Pieces, "") {
			t.Errorf("%s: got %q", mode, got)
		}
	}
}

// Headers may be large, but not without end.
func TestLargeHeaders(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), nil)
	dial := piped(t, r.proxy)
	many := strings.Repeat("X-Some: "+strings.Repeat("y", 990)+"\r\n", 900)
	large, endless := dial(), dial()
	large.say("GET /v1/models HTTP/1.1\r\nHost: x\r\n" + many + "\r\n")
	if a := large.answer(t); a.status != 200 {
		t.Errorf("%d bytes: %d", len(many), a.status)
	}
	if n := len(r.api.Requests()[0].Header["X-Some"]); n != 900 {
		t.Errorf("%d of 900 arrived", n)
	}
	go endless.say("GET /v1/models HTTP/1.1\r\nHost: x\r\n" + many + many + "\r\n") // until the server has had enough
	line, _ := endless.in.ReadString('\n')
	if !strings.HasPrefix(line, "HTTP/1.1 431 ") || len(r.api.Requests()) != 1 {
		t.Errorf("%q, %d went up", line, len(r.api.Requests()))
	}
	endless.Close()
	r.passed(ask(fakeapi.Anthropic, false))
}
