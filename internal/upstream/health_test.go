package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"imagebreaker/internal/upstream"
)

// network says what comes of a try: an answer of any status, or an error.
type network func(*http.Request) error

func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := n(r); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}, nil
}

func TestHealth(t *testing.T) {
	t.Parallel()
	minute := 0
	r := &upstream.Health{Now: func() time.Time { return time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC) }}
	left, leave := context.WithCancel(context.Background())
	leave()
	for _, step := range []struct {
		host string
		ctx  context.Context
		err  error
		down string // then
	}{
		{"a", context.Background(), nil, ""},
		{"b:1", context.Background(), errors.New("refused"), "b:1@1"},
		{"b:1", context.Background(), errors.New("refused"), "b:1@1"},
		{"a", context.Background(), errors.New("timeout"), "a@3 b:1@1"},
		{"c", left, errors.New("the client left"), "a@3 b:1@1"},
		{"a", left, errors.New("the client left"), "a@3 b:1@1"},
		{"b:1", context.Background(), nil, "a@3"},
		{"b:1", left, errors.New("the client left"), "a@3"},
		{"b:1", context.Background(), errors.New("refused"), "a@3 b:1@8"},
		{"a", left, nil, "b:1@8"}, // it answered, and the client left then
	} {
		resp, err := r.Observe(network(func(*http.Request) error { return step.err })).RoundTrip(request(t, step.ctx, step.host))
		if err != step.err || (resp == nil) != (err != nil) {
			t.Errorf("%s: %v, %v: not what the network said", step.host, resp, err)
		}
		if got := down(r); got != step.down {
			t.Errorf("minute %d: down %q, want %q", minute, got, step.down)
		}
		minute++
	}
}

func request(t *testing.T, ctx context.Context, host string) *http.Request {
	t.Helper()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func down(r *upstream.Health) string {
	var out []string
	for _, a := range r.Down() {
		out = append(out, fmt.Sprintf("%s@%d", a.Host, a.Since.Minute()))
	}
	return strings.Join(out, " ")
}

func TestTheZeroValueHasAClock(t *testing.T) {
	t.Parallel()
	var r upstream.Health
	r.Observe(network(func(*http.Request) error { return errors.New("refused") })).RoundTrip(request(t, context.Background(), "a"))
	if a := r.Down(); len(a) != 1 || a[0].Since.IsZero() {
		t.Errorf("down %v", a)
	}
}
