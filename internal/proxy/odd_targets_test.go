package proxy_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/relay"
)

// asProgram serves the proxy as the program does: OPTIONS * is not the
// server's own business.
func asProgram(t *testing.T, set func(*proxy.Config)) string {
	t.Helper()
	transport := relay.NewTransport()
	c := proxy.Config{Transport: transport}
	set(&c)
	front := httptest.NewUnstartedServer(withPages(proxy.New(c)))
	front.Config.DisableGeneralOptionsHandler = true
	front.Start()
	t.Cleanup(func() {
		front.Close()
		transport.CloseIdleConnections()
	})
	return front.Listener.Addr().String()
}

// Odd targets go to the upstream that was set, as they are, or nowhere.
func TestOddTargets(t *testing.T) {
	t.Parallel()
	cases := []struct {
		method, target string
		status         string
		arrives        string // with no prefix in the upstream; "": nothing does
	}{
		{"POST", "http://evil.example.test/v1/messages", "200", "/v1/messages"},
		{"POST", "https://evil.example.test:444/v1/messages?a=b", "200", "/v1/messages?a=b"},
		{"POST", "http://user:pw@evil.example.test/v1/messages", "200", "/v1/messages"},
		{"GET", "http://evil.example.test/a%2Fb//c/../d?x=;y", "200", "/a%2Fb//c/../d?x=;y"},
		{"GET", `http://evil.example.test/a"b|c`, "200", `/a"b|c`},
		{"GET", "http://evil.example.test", "200", "/"},
		{"GET", "http://evil.example.test?x=1", "200", "/?x=1"},
		{"POST", "//evil.example.test/v1/messages", "200", "//evil.example.test/v1/messages"},
		{"GET", "///evil.example.test", "200", "///evil.example.test"},
		{"GET", `/\evil.example.test`, "200", `/\evil.example.test`},
		{"GET", "/v1/../../etc", "200", "/v1/../../etc"},
		{"GET", "/v1/%2e%2e/-/healthy", "200", "/v1/%2e%2e/-/healthy"},
		{"GET", "/v1/../-/healthy", "200", "/v1/../-/healthy"},
		{"GET", "//-/healthy", "200", "//-/healthy"},
		{"GET", "/v1%2fmessages%00", "200", "/v1%2fmessages%00"},
		{"GET", "/@evil.example.test", "200", "/@evil.example.test"},
		{"TRACE", "/v1/messages", "200", "/v1/messages"},
		{"OPTIONS", "/v1/messages", "200", "/v1/messages"},
		{"OPTIONS", "*", "200", "*"},
		{"PURGE", "/v1/messages", "200", "/v1/messages"},
		{"CONNECT", "evil.example.test:443", "400", ""},
		{"CONNECT", "/v1/messages", "400", ""},
		{"GET", "evil.example.test", "400", ""},
		{"GET", "*", "", ""},
		{"GET", "http:evil", "400", ""},
		{"GET", "/%zz", "400", ""},
		{"GET", "/-/healthy", "403", ""}, // the Host is x
		{"GET", "/%2d/healthy", "403", ""},
		{"GET", "http://evil.example.test/-/healthy", "403", ""},
		{"GET", "http://127.0.0.1/-/healthy", "200", ""},
		{"GET", "http://127.0.0.1.evil.example.test/-/healthy", "403", ""},
		{"GET", "http://localhost@evil.example.test/-/healthy", "403", ""},
	}
	for _, prefix := range []string{"", "/pre%2Ffix"} {
		for _, c := range cases {
			for _, mode := range []policy.Mode{policy.On, policy.Off} {
				saw := make(chan string, 2)
				up := wired(t, func(w wire) {
					if r, err := http.ReadRequest(w.in); err == nil {
						saw <- r.Method + " " + r.RequestURI + " for " + r.Host
						w.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
					}
				})
				set := to(t, "http://"+up+prefix)
				got := raw(t, asProgram(t, func(p *proxy.Config) { set(p); p.Mode = mode }), c.method+" "+c.target+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				if !strings.HasPrefix(got, "HTTP/1.1 "+c.status) {
					t.Errorf("%s %s: got %q, want %s", c.method, c.target, got, c.status)
				}
				close(saw)
				want := ""
				if c.arrives != "" {
					want = c.method + " " + prefix + c.arrives + " for " + up
				}
				if c.arrives == "*" {
					want = c.method + " * for " + up
				}
				if s := <-saw; s != want && c.status != "" {
					t.Errorf("%s %s: the upstream saw %q, want %q", c.method, c.target, s, want)
				}
			}
		}
	}
}

// What stands in a target, or in a Host, is held to be another place by nobody:
// a failure that came by one name is known by the other.
func TestTargetsShareOneMemory(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Anthropic, false, p)
	r.passed(c)
	got := raw(t, strings.TrimPrefix(r.url, "http://"), plainPost("http://evil.example.test/v1/messages", c.body()))
	if !strings.Contains(got, "X-Imagebreaker: short-circuited") || len(r.api.Requests()) != 1 {
		t.Errorf("got %q", got)
	}
}
