package proxy_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/proxy"
)

// secure starts an upstream with TLS, and HTTP/2 for who asks for it.
func secure(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	up := httptest.NewUnstartedServer(h)
	up.EnableHTTP2 = true
	up.Config.ErrorLog = log.New(io.Discard, "", 0)
	up.StartTLS()
	t.Cleanup(up.Close)
	return up
}

// trusting sends everything to the upstream and takes its certificate.
func trusting(t *testing.T, up *httptest.Server) func(*proxy.Config) {
	t.Helper()
	set := to(t, up.URL)
	return func(c *proxy.Config) {
		set(c)
		roots := x509.NewCertPool()
		roots.AddCert(up.Certificate())
		c.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	}
}

// Over HTTP/2 a stream passes as it comes, informational answers and trailers
// with it.
func TestHTTP2Upstream(t *testing.T) {
	t.Parallel()
	pieces := fakeapi.Success(fakeapi.Anthropic, true, "over two").Pieces
	hold := make(chan struct{})
	var proto, got atomic.Value
	up := secure(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		proto.Store(r.Proto)
		got.Store(string(body))
		h := w.Header()
		h.Set("Link", "</a>")
		w.WriteHeader(http.StatusEarlyHints)
		h.Set("Content-Type", "text/event-stream")
		h.Set("Trailer", "X-Check")
		flush := http.NewResponseController(w).Flush
		for i, p := range pieces {
			if i == 1 {
				<-hold
			}
			io.WriteString(w, p)
			flush()
		}
		h.Set("X-Check", "7")
	})
	r := start(t, fakeapi.Refusing(), trusting(t, up))
	c := ask(fakeapi.Anthropic, true, good())
	resp, err := r.client.Post(r.url+c.path(), "application/json", strings.NewReader(c.body()))
	must(t, err)
	defer resp.Body.Close()
	first := make([]byte, len(pieces[0]))
	_, err = io.ReadFull(resp.Body, first) // the rest is held back
	must(t, err)
	close(hold)
	rest, err := io.ReadAll(resp.Body)
	must(t, err)
	if s := string(first) + string(rest); s != strings.Join(pieces, "") {
		t.Errorf("got %q", s)
	}
	if proto.Load() != "HTTP/2.0" || got.Load() != c.body() || resp.Trailer.Get("X-Check") != "7" {
		t.Errorf("%v, trailer %v, body %q", proto.Load(), resp.Trailer, got.Load())
	}
	r.wantEvents()
}

// A stream of HTTP/2 that is reset before and after its first byte.
func TestHTTP2Resets(t *testing.T) {
	t.Parallel()
	pieces := fakeapi.Success(fakeapi.Anthropic, true, "cut").Pieces[:2]
	var begun atomic.Bool
	up := secure(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if begun.Load() {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, strings.Join(pieces, ""))
			http.NewResponseController(w).Flush()
		}
		panic(http.ErrAbortHandler)
	})
	r := start(t, fakeapi.Refusing(), trusting(t, up))
	c := ask(fakeapi.Anthropic, true, cut())
	if a := r.post(c); a.status != http.StatusBadGateway || !strings.Contains(a.body, "stream error") {
		t.Errorf("%d %s", a.status, a.body)
	}
	begun.Store(true)
	if a, err := r.try(c.path(), c.body()); err == nil || a.body != strings.Join(pieces, "") {
		t.Errorf("%v, %q", err, a.body)
	}
	for _, e := range r.wantEvents("upstream_error", "upstream_error") {
		if e.ErrorKind != "network" {
			t.Errorf("%+v", e)
		}
	}
}

// Java's client offers to go on in HTTP/2 on every plain connection. Only a
// WebSocket may be switched to.
func TestOffersToUpgradeAreNotPassedOn(t *testing.T) {
	t.Parallel()
	var saw atomic.Value
	h := func(w http.ResponseWriter, r *http.Request) {
		saw.Store(r.Header.Get("Connection") + r.Header.Get("Upgrade") + r.Header.Get("Http2-Settings"))
		io.WriteString(w, "fine")
	}
	plain := httptest.NewServer(http.HandlerFunc(h))
	defer plain.Close()
	for _, path := range []string{"/v1/messages", "/v1/other"} {
		for _, set := range []func(*proxy.Config){to(t, plain.URL), trusting(t, secure(t, h))} {
			got := raw(t, behind(t, nil, set), "POST "+path+" HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\n"+
				"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nContent-Length: 2\r\n\r\n{}")
			if !strings.HasPrefix(got, "HTTP/1.1 200 ") || !strings.HasSuffix(got, "fine") || saw.Load() != "" {
				t.Errorf("%s: got %q, the upstream saw %q", path, got, saw.Load())
			}
		}
	}
}

func TestRedirectsPass(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/messages", "/v1/other"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			var asked atomic.Int32
			addr := behind(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				w.Header().Set("Location", "/elsewhere?x=1")
				w.WriteHeader(status)
			}, nil)
			got := raw(t, addr, plainPost(path, "{}"))
			if !strings.HasPrefix(got, "HTTP/1.1 "+strconv.Itoa(status)+" ") || !strings.Contains(got, "\r\nLocation: /elsewhere?x=1\r\n") || asked.Load() != 1 {
				t.Errorf("%s %d: got %q after %d requests", path, status, got, asked.Load())
			}
		}
	}
}

// A WebSocket goes up by HTTP/1.1 where everything else goes by HTTP/2.
func TestWebSocketToASecureUpstream(t *testing.T) {
	t.Parallel()
	up := secure(t, func(w http.ResponseWriter, r *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		line, _ := buf.ReadString('\n')
		io.WriteString(conn, "echo "+line)
	})
	conn, err := net.Dial("tcp", behind(t, nil, trusting(t, up)))
	must(t, err)
	defer conn.Close()
	io.WriteString(conn, "GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n")
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	must(t, err)
	io.WriteString(conn, "hello\n")
	if rest, err := io.ReadAll(in); resp.StatusCode != http.StatusSwitchingProtocols || string(rest) != "echo hello\n" || err != nil {
		t.Errorf("%d, through the tunnel came %q, %v", resp.StatusCode, rest, err)
	}
}

// What is wrong with a secure connection is told.
func TestInsecureUpstreams(t *testing.T) {
	t.Parallel()
	up := secure(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(up.Listener.Addr().String())
	must(t, err)
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	mute := wired(t, func(w wire) { w.in.Peek(1) })
	cases := []struct {
		name, url, says string
		trust           bool
	}{
		{"a stranger's certificate", up.URL, "certificate", false},
		{"a certificate for other names", "https://localhost:" + port, "not localhost", true},
		{"no TLS there", "https://" + plain.Listener.Addr().String(), "does not look like a TLS handshake", true},
		{"closed while shaking hands", "https://" + mute, "", true},
	}
	for _, c := range cases {
		send, trust := to(t, c.url), trusting(t, up)
		r := start(t, fakeapi.Refusing(), func(p *proxy.Config) {
			if c.trust {
				trust(p)
			}
			send(p)
		})
		for _, stream := range []bool{true, false} {
			r.post(ask(fakeapi.Anthropic, stream, cut())).tells(t, http.StatusBadGateway, c.says)
		}
		if l := r.listed(); len(l) > 0 {
			t.Errorf("%s: remembered: %v", c.name, l)
		}
		if e := r.wantEvents("upstream_error", "upstream_error")[0]; e.ErrorKind != "network" {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}
