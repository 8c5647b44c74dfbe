package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"os"
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

// TestMain hides the variables that the SDKs read from the tests: a key, an
// address or a header of the developer's own has no business here.
func TestMain(m *testing.M) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch maker, _, _ := strings.Cut(name, "_"); maker {
		case "ANTHROPIC", "AWS", "OPENAI", "GEMINI", "GOOGLE", "AI":
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// rig is an upstream, the proxy before it, and a door before that, which
// counts what the SDK sends, since its retries are not to be seen from outside,
// and keeps what it gets last, since SDKs overlook some faults.
type rig struct {
	*testing.T
	client
	upstream *fakeapi.Server
	url      string
	http     *http.Client
	attempts atomic.Int64
	last     atomic.Pointer[copied]
}

func start(t *testing.T, c client, style policy.Style, s fakeapi.Script) *rig {
	t.Helper()
	api, err := fakeapi.Start(s)
	must(t, err)
	ups, err := upstream.Parse(api.URL)
	must(t, err)
	up, down := relay.NewTransport(), &http.Transport{}
	r := &rig{T: t, client: c, upstream: api, http: &http.Client{Transport: down}}
	p := proxy.New(proxy.Config{
		Upstreams: ups, Reply: style, Transport: up, Address: "127.0.0.1:8788",
		CoolOff: 10 * time.Minute, // no machine is so slow
	})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.attempts.Add(1)
		c := &copied{ResponseWriter: w}
		r.last.Store(c)
		p.ServeHTTP(c, q)
	}))
	r.url = front.URL
	t.Cleanup(func() {
		down.CloseIdleConnections()
		front.Close()
		up.CloseIdleConnections()
		api.Close()
	})
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answered wants the SDK to read an answer.
func (r *rig) answered(q question) reply {
	r.Helper()
	a, err := r.ask(r, q)
	must(r.T, err)
	r.wantForm(r.stream)
	return a
}

// refused wants the SDK's own error for an answer of the API.
func (r *rig) refused(q question) refusal {
	r.Helper()
	a, err := r.ask(r, q)
	if err == nil {
		r.Fatalf("answered: %+v", a)
	}
	e, ok := r.refusal(err)
	if !ok {
		r.Fatalf("%T is not the SDK's error: %v", err, err)
	}
	r.wantForm(false)
	return e
}

// wantTraffic compares what has passed so far: the SDK's attempts, what the
// upstream got of them, and how often it got the image.
func (r *rig) wantTraffic(attempts, requests, uploads int, p picture) {
	r.Helper()
	a, n, u := int(r.attempts.Load()), len(r.upstream.Requests()), r.upstream.Uploads(p.needle())
	if a != attempts || n != requests || u != uploads {
		r.Errorf("%d attempts, %d requests, %d uploads; want %d, %d, %d", a, n, u, attempts, requests, uploads)
	}
}
