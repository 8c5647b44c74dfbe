package pages_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"imagebreaker/internal/pages"
	"imagebreaker/internal/upstream"
)

// unreachable is a network on which nobody answers.
type unreachable struct{}

func (unreachable) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("refused")
}

func TestReady(t *testing.T) {
	t.Parallel()
	r := &upstream.Health{Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
	h := pages.New(pages.Config{Memory: &memory{}, Health: r}, next)
	want := func(status int, body string) {
		t.Helper()
		if a := ask(h, "GET", "/-/ready"); a.Code != status || a.Body.String() != body {
			t.Errorf("%d %q, want %d %q", a.Code, a.Body, status, body)
		}
	}
	want(200, "ok\n")
	for _, host := range []string{"b.example.test", "a.example.test:8000"} {
		r.Observe(unreachable{}).RoundTrip(httptest.NewRequest("POST", "http://"+host+"/v1/messages?key=secret", nil))
	}
	want(503, "imagebreaker: cannot reach a.example.test:8000 since 2026-01-02T03:04:05.000Z; cannot reach b.example.test since 2026-01-02T03:04:05.000Z\n")
	if a := ask(h, "GET", "/-/healthy"); a.Code != 200 {
		t.Errorf("not healthy: %d", a.Code)
	}
}
