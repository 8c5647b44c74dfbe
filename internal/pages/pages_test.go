package pages_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"imagebreaker/breaker"
	"imagebreaker/internal/metrics"
	"imagebreaker/internal/pages"
	"imagebreaker/internal/record"
	"imagebreaker/internal/upstream"
)

// host is the address of the pages, as they see it.
const host = "127.0.0.1:8788"

// memory is a list of failures.
type memory []record.Snapshot

func (m *memory) Snapshot() []record.Snapshot { return slices.Clone(*m) }

func (m *memory) Forget(match func(string) bool) (entries, substitutions int) {
	var left memory
	for _, k := range *m {
		switch {
		case !match(k.Signature):
			left = append(left, k)
		case k.State == record.StateSubstituted:
			substitutions++
		default:
			entries++
		}
	}
	*m = left
	return entries, substitutions
}

func remembered() *memory {
	since := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.FixedZone("", 3600))
	return &memory{
		{Signature: "0123456789abcdef", Session: "ses_1", Protocol: "anthropic", Model: "m", Reason: "decode_failed", What: "7 bytes, plain text", Items: []string{"aa"},
			State: string(breaker.Open), Rejected: 2, Since: since, Remaining: 1500 * time.Millisecond},
		{Signature: "1123456789abcdef", Protocol: "gemini", Reason: "too_large", State: string(breaker.Probing), Since: since},
		{Signature: "2123456789abcdef", Reason: "fetch_4xx", State: record.StateSubstituted, Since: since},
	}
}

// next gets the requests that are not for a page.
var next = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })

// ask sends a request to a handler; headers are pairs, Host among them.
func ask(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = host
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestAccess(t *testing.T) {
	t.Parallel()
	h := pages.New(pages.Config{Memory: &memory{}}, next)
	cases := []struct {
		method, path string
		headers      []string
		status       int
	}{
		{"GET", "/-/healthy", nil, 200},
		{"HEAD", "/-/healthy", nil, 200},
		{"POST", "/-/healthy", nil, 405},
		{"GET", "/-/ready", nil, 200},
		{"GET", "/-/breakers", nil, 200},
		{"POST", "/-/breakers", nil, 405},
		{"GET", "/-/breakers/0123456789abcdef", nil, 405},
		{"GET", "/-/", nil, 200},
		{"HEAD", "/-/", nil, 200},
		{"POST", "/-/", nil, 405},
		{"GET", "/-/", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"GET", "/-/page.js", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"GET", "/-/saved", nil, 200},
		{"GET", "/-/about", nil, 200},
		{"HEAD", "/-/live", nil, 200},
		{"POST", "/-/live", nil, 405},
		{"HEAD", "/-/live", []string{"Origin", "https://evil.example.com"}, 403},
		{"GET", "/-/nothing", nil, 404},
		{"GET", "/-//healthy", nil, 404},
		{"POST", "/-/../v1/messages", nil, 404},
		{"GET", "/", nil, 418},
		{"POST", "/v1/messages", nil, 418},
		{"POST", "/v1/messages", []string{"Host", "evil.example.com", "Origin", "https://evil.example.com"}, 418},
		{"GET", "/-/healthy", []string{"Host", "evil.example.com"}, 403},
		{"GET", "/-/healthy", []string{"Host", "127.0.0.1.evil.example.com"}, 403},
		{"GET", "/-/healthy", []string{"Host", ""}, 403},
		{"GET", "/-/healthy", []string{"Host", "0.0.0.0:8788"}, 403},
		{"GET", "/-/healthy", []string{"Host", "localhost:1"}, 200},
		{"GET", "/-/healthy", []string{"Host", "127.9.9.9"}, 200},
		{"GET", "/-/healthy", []string{"Host", "[::1]:80"}, 200},
		{"GET", "/-/breakers", []string{"Origin", "https://evil.example.com"}, 403},
		{"GET", "/-/breakers", []string{"Origin", "null"}, 403},
		{"GET", "/-/breakers", []string{"Origin", "http://127.0.0.1:3000"}, 403},
		{"GET", "/-/breakers", []string{"Origin", "http://" + host}, 200},
		{"GET", "/-/breakers", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"GET", "/-/breakers", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"GET", "/-/breakers", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"GET", "/-/breakers", []string{"Sec-Fetch-Site", "none"}, 200},
		{"HEAD", "/-/breakers", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"DELETE", "/-/breakers", []string{"Origin", "https://evil.example.com"}, 403},
		{"DELETE", "/-/breakers", []string{"Origin", "null"}, 403},
		{"DELETE", "/-/breakers", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"DELETE", "/-/breakers", []string{"Origin", "http://" + host}, 200},
		{"DELETE", "/-/breakers/nonsense", nil, 400},
		{"DELETE", "/-/breakers/", nil, 400},
		{"DELETE", "/-/breakers", nil, 200},
	}
	for _, c := range cases {
		if a := ask(h, c.method, c.path, c.headers...); a.Code != c.status {
			t.Errorf("%s %s %v: %d, want %d (%s)", c.method, c.path, c.headers, a.Code, c.status, a.Body)
		}
	}
}

// Whatever the answer is, a browser must neither sniff its type nor let another site
// read it.
func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	h := pages.New(pages.Config{Memory: &memory{}}, next)
	want := map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
	for _, path := range []string{"/-/", "/-/page.js", "/-/page.css", "/-/icon.svg", "/-/healthy", "/-/breakers", "/-/saved", "/-/nothing", "/-/breakers/x"} {
		a := ask(h, "GET", path)
		for name, value := range want {
			if got := a.Header().Get(name); got != value {
				t.Errorf("%s: %s %q, want %q", path, name, got, value)
			}
		}
	}
	if a := ask(h, "GET", "/v1/models"); len(a.Header()) != 0 {
		t.Errorf("an answer of the next handler has %v", a.Header())
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	if a := ask(pages.New(pages.Config{Memory: &memory{}}, next), "GET", "/-/metrics"); a.Code != 404 {
		t.Errorf("without metrics: %d", a.Code)
	}
	h := pages.New(pages.Config{Memory: &memory{}, Metrics: metrics.New(metrics.Config{}).Handler()}, next)
	a := ask(h, "GET", "/-/metrics", "User-Agent", "Prometheus/3.0")
	if kind := a.Header().Get("Content-Type"); a.Code != 200 || !strings.HasPrefix(kind, "text/plain") || !strings.Contains(a.Body.String(), "\nimagebreaker_internal_errors_total 0\n") {
		t.Errorf("%d %s %.200s", a.Code, kind, a.Body)
	}
	if a := ask(h, "POST", "/-/metrics"); a.Code != 405 {
		t.Errorf("POST: %d", a.Code)
	}
}

func TestAllow(t *testing.T) {
	t.Parallel()
	h := pages.New(pages.Config{Memory: &memory{}}, next)
	for path, want := range map[string]string{"/-/healthy": "GET, HEAD", "/-/breakers": "GET, HEAD, DELETE", "/-/breakers/0123456789abcdef": "DELETE"} {
		if got := ask(h, "PUT", path).Header().Get("Allow"); got != want {
			t.Errorf("%s: Allow %q, want %q", path, got, want)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	if got := ask(pages.New(pages.Config{Memory: &memory{}}, next), "GET", "/-/breakers").Body.String(); got != "[]\n" {
		t.Errorf("nothing is listed as %q", got)
	}
	a := ask(pages.New(pages.Config{Memory: remembered()}, next), "GET", "/-/breakers")
	want := `[{"signature":"0123456789abcdef","session_id":"ses_1","protocol":"anthropic","model":"m","reason":"decode_failed","what":"7 bytes, plain text","images":["aa"],"state":"live","held_count":2,"since":"2026-01-02T02:04:05.006Z","cool_off_remaining_ms":1500},` +
		`{"signature":"1123456789abcdef","session_id":"none","protocol":"gemini","model":"","reason":"too_large","what":"","images":[],"state":"probing","held_count":0,"since":"2026-01-02T02:04:05.006Z","cool_off_remaining_ms":0},` +
		`{"signature":"2123456789abcdef","session_id":"","protocol":"","model":"","reason":"fetch_4xx","what":"","images":[],"state":"repaired","held_count":0,"since":"2026-01-02T02:04:05.006Z","cool_off_remaining_ms":0}]` + "\n"
	if got := a.Body.String(); got != want || a.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%s\n%s want\n%s", a.Header().Get("Content-Type"), got, want)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, answer, left string }{
		{"/-/breakers/0123456789ABCDEF", `{"forgotten":1,"repairs":0}`, "1123456789abcdef 2123456789abcdef"},
		{"/-/breakers/2123456789abcdef", `{"forgotten":0,"repairs":1}`, "0123456789abcdef 1123456789abcdef"},
		{"/-/breakers/ffffffffffffffff", `{"forgotten":0,"repairs":0}`, "0123456789abcdef 1123456789abcdef 2123456789abcdef"},
		{"/-/breakers", `{"forgotten":2,"repairs":1}`, ""},
	} {
		h := pages.New(pages.Config{Memory: remembered()}, next)
		a := ask(h, "DELETE", c.path)
		if got := strings.TrimSpace(a.Body.String()); got != c.answer {
			t.Errorf("%s: %d %s, want %s", c.path, a.Code, got, c.answer)
		}
		if got := strings.Join(signatures(t, h, ""), " "); got != c.left {
			t.Errorf("%s leaves %q, want %q", c.path, got, c.left)
		}
	}
}

func TestAbout(t *testing.T) {
	t.Parallel()
	r := &upstream.Health{Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
	h := pages.New(pages.Config{Memory: &memory{}, Health: r, About: pages.About{Mode: "on", Version: "v1", Address: host}}, next)
	want := func(json string) {
		t.Helper()
		if got := strings.TrimSpace(ask(h, "GET", "/-/about").Body.String()); got != json {
			t.Errorf("%s, want %s", got, json)
		}
	}
	want(`{"mode":"on","version":"v1","address":"127.0.0.1:8788","away":[]}`)
	r.Observe(unreachable{}).RoundTrip(httptest.NewRequest("POST", "http://a.example.test/v1/messages", nil))
	want(`{"mode":"on","version":"v1","address":"127.0.0.1:8788","away":[{"host":"a.example.test","since":"2026-01-02T03:04:05.000Z"}]}`)
}

// signatures returns what /-/breakers lists.
func signatures(t *testing.T, h http.Handler, query string) []string {
	t.Helper()
	var list []struct{ Signature string }
	if err := json.Unmarshal(ask(h, "GET", "/-/breakers"+query).Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range list {
		out = append(out, l.Signature)
	}
	return out
}
