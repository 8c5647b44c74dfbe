package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/upstream"
)

// behind starts a proxy in front of a handler and returns its address.
func behind(t *testing.T, h http.HandlerFunc, set func(*proxy.Config)) string {
	t.Helper()
	up := httptest.NewServer(h)
	ups, err := upstream.Parse(up.URL)
	must(t, err)
	transport := relay.NewTransport()
	c := proxy.Config{Upstreams: ups, Transport: transport}
	if set != nil {
		set(&c)
	}
	front := httptest.NewServer(proxy.New(c))
	t.Cleanup(func() {
		front.Close()
		transport.CloseIdleConnections()
		up.Close()
	})
	return strings.TrimPrefix(front.URL, "http://")
}

// raw sends a text as it stands and returns the whole answer's text.
func raw(t *testing.T, addr, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, request)
	must(t, err)
	b, err := io.ReadAll(conn)
	must(t, err)
	return string(b)
}

func passes(t *testing.T, method, uri string, want http.Header, body []byte) {
	t.Helper()
	var got struct {
		method, uri string
		header      http.Header
		body        []byte
	}
	addr := behind(t, func(w http.ResponseWriter, r *http.Request) {
		got.method, got.uri, got.header = r.Method, r.RequestURI, r.Header.Clone()
		got.body, _ = io.ReadAll(r.Body)
	}, nil)
	var req strings.Builder
	fmt.Fprintf(&req, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %d\r\n", method, uri, addr, len(body))
	for k, vs := range want {
		for _, v := range vs {
			fmt.Fprintf(&req, "%s: %s\r\n", k, v)
		}
	}
	raw(t, addr, req.String()+"\r\n"+string(body))
	delete(got.header, "Content-Length")
	if got.method != method || got.uri != uri || !bytes.Equal(got.body, body) {
		t.Errorf("the upstream saw %s %s and %d bytes, sent %s %s and %d", got.method, got.uri, len(got.body), method, uri, len(body))
	}
	for _, h := range []http.Header{want, got.header} {
		for k := range h {
			if !slices.Equal(got.header[k], want[k]) {
				t.Errorf("header %s: %q, sent %q", k, got.header[k], want[k])
			}
		}
	}
}

func TestTargetsPassByteForByte(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{policy.On, policy.Off} {
		for _, uri := range []string{
			"/", "/v1/models", "/v1/models/a%2Fb:x?alt=sse", "/a%20b/c+d?x=1;y=2&&z", "/a?", "/v1//x/../y/./z", "/%7Euser/%e4%bd", "/v1/messages/?q=%zz", "/a;b=c/(d)!$&'*,:@",
			`/a"b|c^d`, "/v1/x?a=b?c=d#",
		} {
			var got atomic.Value
			addr := behind(t, func(w http.ResponseWriter, r *http.Request) { got.Store(r.RequestURI) }, func(c *proxy.Config) { c.Mode = mode })
			raw(t, addr, "GET "+uri+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			if got.Load() != uri {
				t.Errorf("%s: the upstream saw %v, sent %s", mode, got.Load(), uri)
			}
		}
	}
}

func TestUpstreamPrefixIsKept(t *testing.T) {
	t.Parallel()
	var got atomic.Value
	addr := behind(t, func(w http.ResponseWriter, r *http.Request) { got.Store(r.RequestURI) }, func(c *proxy.Config) {
		ups, err := upstream.Parse(c.Upstreams["openai"].String() + "/deep/pre%2Ffix/")
		must(t, err)
		c.Upstreams = ups
	})
	raw(t, addr, "POST /v1/messages?beta=true HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
	if got.Load() != "/deep/pre%2Ffix/v1/messages?beta=true" {
		t.Errorf("the upstream saw %v", got.Load())
	}
}

// Headers that proxies like to add, drop or change.
func TestHeadersPass(t *testing.T) {
	t.Parallel()
	want := http.Header{
		"X-Forwarded-For": {"1.2.3.4"}, "Forwarded": {"for=1.2.3.4"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"h"}, "Via": {"1.1 other"},
		"X-Odd": {"a", "b"}, "Accept-Encoding": {"br"}, "User-Agent": {"x"}, "Cookie": {"a=1"}, "Authorization": {"Bearer k"}, "Session_id": {"u"},
	}
	passes(t, "POST", "/v1/messages", want, []byte("{}"))
	passes(t, "GET", "/v1/models", want, nil)
	passes(t, "POST", "/v1/messages", http.Header{}, []byte("{}")) // no User-Agent, no Accept-Encoding
}

func TestAnswersPass(t *testing.T) {
	t.Parallel()
	addr := behind(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Date"], h["Content-Type"] = nil, nil
		h["Set-Cookie"] = []string{"a=1", "b=2"}
		h.Set("Trailer", "X-Known")
		w.WriteHeader(299)
		io.WriteString(w, "<html>")
		h.Set("X-Known", "1")
		h.Set(http.TrailerPrefix+"X-Unknown", "2")
	}, nil)
	got := raw(t, addr, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
	for _, want := range []string{"HTTP/1.1 299", "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n", "<html>", "X-Known: 1", "X-Unknown: 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	for _, not := range []string{"Content-Type", "Date:", "X-Imagebreaker"} {
		if strings.Contains(got, not) {
			t.Errorf("%q was added: %q", not, got)
		}
	}
}

func TestRequestTrailersPass(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/messages", "/v1/other"} {
		var got atomic.Value
		addr := behind(t, func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			got.Store(string(b) + r.Trailer.Get("X-Check"))
		}, nil)
		raw(t, addr, "POST "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-Check\r\n\r\n2\r\n{}\r\n0\r\nX-Check: 7\r\n\r\n")
		if got.Load() != "{}7" {
			t.Errorf("%s: the upstream saw %q", path, got.Load())
		}
	}
}

func TestInformationalAnswersPass(t *testing.T) {
	t.Parallel()
	addr := behind(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</x>")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(200)
	}, nil)
	var hints atomic.Int32
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		if code == http.StatusEarlyHints && h.Get("Link") == "</x>" {
			hints.Add(1)
		}
		return nil
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/v1/messages", strings.NewReader("{}"))
	must(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	resp.Body.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if hints.Load() != 1 {
		t.Errorf("%d early hints", hints.Load())
	}
}

// Each event of a stream is there before the next one is sent.
func TestStreamsAreFlushedAtOnce(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	a := fakeapi.Success(fakeapi.Anthropic, true, "slow")
	a.Hold = hold
	r := start(t, fakeapi.Always(a), nil)
	c := ask(fakeapi.Anthropic, true, good())
	resp, err := r.client.Post(r.url+c.path(), "application/json", strings.NewReader(c.body()))
	must(t, err)
	defer resp.Body.Close()
	first := make([]byte, len(a.Pieces[0]))
	_, err = io.ReadFull(resp.Body, first) // the rest is held back
	must(t, err)
	close(hold)
	rest, err := io.ReadAll(resp.Body)
	must(t, err)
	if got := string(first) + string(rest); got != strings.Join(a.Pieces, "") {
		t.Errorf("got %q", got)
	}
}

// Headers reach the client while the body is still to come.
func TestHeadersAreFlushedAtOnce(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	addr := behind(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(200)
		http.NewResponseController(w).Flush()
		<-hold
	}, nil)
	resp, err := http.Post("http://"+addr+"/v1/messages", "application/json", strings.NewReader("{}"))
	must(t, err)
	close(hold)
	resp.Body.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func TestClientThatLeavesCancelsTheUpstream(t *testing.T) {
	t.Parallel()
	arrived, gone := make(chan struct{}), make(chan struct{})
	addr := behind(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
		close(gone)
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/v1/messages", strings.NewReader("{}"))
	must(t, err)
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := http.DefaultTransport.RoundTrip(req); err == nil {
		t.Error("an answer to a request that was cancelled")
	}
	<-gone
}

// An answer that breaks off breaks off for the client too.
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	broken := fakeapi.Success(fakeapi.Anthropic, true, "x")
	broken.Pieces, broken.Die = broken.Pieces[:3], true
	r := start(t, fakeapi.Always(broken), nil)
	c := ask(fakeapi.Anthropic, true, good())
	a, err := r.try(c.path(), c.body(), session(1)...)
	if err == nil || a.body != strings.Join(broken.Pieces, "") {
		t.Errorf("%v, %q", err, a.body)
	}
	r.api.Play(fakeapi.Refusing())
	r.passed(c, session(1)...)
	if e := r.wantEvents("upstream_error")[0]; e.ErrorKind != "network" || e.RetryDecision != "retryable_network" || e.Status != 200 {
		t.Errorf("%+v", e)
	}
}

func TestUnreachableUpstream(t *testing.T) {
	t.Parallel()
	addr := deadAddress(t)
	r := start(t, fakeapi.Refusing(), func(c *proxy.Config) {
		ups, err := upstream.Parse("http://" + addr + "/secret-path")
		must(t, err)
		c.Upstreams = ups
	})
	for _, api := range apis {
		a := r.post(ask(api, true, cut()), session(1)...)
		if a.status != http.StatusBadGateway || !strings.Contains(a.body, addr) || !strings.Contains(a.body, "refused") || strings.Contains(a.body, "secret-path") || !strings.Contains(a.body, `"message":"imagebreaker: cannot`) {
			t.Errorf("%s: %d %s", api, a.status, a.body)
		}
	}
	es := r.wantEvents(slices.Repeat([]string{"upstream_error"}, len(apis))...)
	if e := es[0]; e.ErrorKind != "network" || e.RetryDecision != "retryable_network" || e.ClientStatus != 502 || e.Status != 0 {
		t.Errorf("%+v", e)
	}
}

// timedOut is a network error of time.
type timedOut struct{ error }

func (timedOut) Timeout() bool   { return true }
func (timedOut) Temporary() bool { return true }

type broken struct{ err error }

func (b broken) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Body.Close()
	return nil, b.err
}

func TestTimeoutIsA504(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), func(c *proxy.Config) {
		c.Transport = broken{timedOut{fmt.Errorf("dial tcp https://x.example.test/?k=SECRET: i/o timeout")}}
	})
	a := r.post(ask(fakeapi.Chat, true), session(1)...)
	if a.status != http.StatusGatewayTimeout || strings.Contains(a.body, "SECRET") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestWebSocket(t *testing.T) {
	t.Parallel()
	echo := func(w http.ResponseWriter, r *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		line, _ := buf.ReadString('\n')
		io.WriteString(conn, "echo "+line)
	}
	ask := func(path string) string {
		return "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	}
	cases := []struct {
		name, path string
		set        func(*proxy.Config)
		status     string
	}{
		{"on", "/v1/responses", nil, "426"},
		{"on, another path", "/v1/realtime", nil, "101"},
		{"on, tunnel", "/v1/responses", func(c *proxy.Config) { c.TunnelWebSocket = true }, "101"},
		{"dry-run", "/v1/responses", func(c *proxy.Config) { c.Mode = policy.DryRun }, "101"},
		{"off", "/v1/responses", func(c *proxy.Config) { c.Mode = policy.Off }, "101"},
	}
	for _, c := range cases {
		addr := behind(t, echo, c.set)
		conn, err := net.Dial("tcp", addr)
		must(t, err)
		_, err = io.WriteString(conn, ask(c.path))
		must(t, err)
		b := bufio.NewReader(conn)
		line, _ := b.ReadString('\n')
		if !strings.HasPrefix(line, "HTTP/1.1 "+c.status) {
			t.Errorf("%s: %q, want %s", c.name, line, c.status)
		}
		io.WriteString(conn, "hello\n")
		rest, _ := io.ReadAll(b)
		if tunnelled := strings.Contains(string(rest), "echo hello"); tunnelled != (c.status == "101") {
			t.Errorf("%s: through the tunnel came %q", c.name, rest)
		}
		conn.Close()
	}
}

// A fault in any of our stages is logged, and the request goes through.
func TestFaultsFailOpen(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Anthropic, true, p)
	var faulty atomic.Value
	proxy.InjectFault(r.proxy, func(stage string) {
		if stage == faulty.Load() {
			panic("injected")
		}
	})
	stages := []string{"record", "inspect", "decide", "judge", "react"}
	for _, stage := range stages {
		faulty.Store(stage)
		r.passed(c, "X-Session-Id", stage).untouched(t, fakeapi.BadImage(fakeapi.Anthropic))
	}
	var logged []string
	for _, e := range r.events() {
		if e.Event == "internal_error" {
			logged = append(logged, strings.TrimPrefix(e.Detail, "panic in stage "))
		}
	}
	if !slices.Equal(logged, stages) {
		t.Errorf("faults logged of %q", logged)
	}
}

func TestSlowErrorBodyIsNotDelayed(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	r := start(t, fakeapi.Always(fakeapi.Answer{Status: 400, Header: http.Header{"Content-Type": {"application/json"}}, Pieces: []string{`{"error":{"message":"Could not `, `process image"}}`}, Hold: hold}), func(c *proxy.Config) { c.ErrorWait = time.Millisecond })
	c := ask(fakeapi.Anthropic, true, cut())
	resp, err := r.client.Post(r.url+c.path(), "application/json", strings.NewReader(c.body()))
	must(t, err) // the head and the first piece come though the rest is held back
	io.ReadFull(resp.Body, make([]byte, 10))
	close(hold)
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	es := r.wantEvents("failure_recorded")
	if es[0].Reply != "upstream" {
		t.Errorf("%+v", es[0])
	}
}
