package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
)

// Whatever an error looks like, the client has it as it is; what it says of an
// image is heard where it can be.
func TestOddErrors(t *testing.T) {
	t.Parallel()
	const words = `{"error":{"message":"cannot identify image file"}}`
	echo := func(n int) string {
		return `{"detail":"Error while loading data data:image/png;base64,` + strings.Repeat("QUJD", n/4) + `: cannot identify image file"}`
	}
	cases := []struct {
		name     string
		status   int
		header   http.Header
		body     string
		recorded bool
	}{
		{"no content type", 400, http.Header{}, words, true},
		{"wrong content type", 400, http.Header{"Content-Type": {"image/png"}}, words, true},
		{"plain text", 400, http.Header{"Content-Type": {"text/plain"}}, "cannot identify image file <_io.BytesIO object at 0x7f>", true},
		{"an event stream that is none", 400, http.Header{"Content-Type": {"text/event-stream"}}, words, true},
		{"a page", 502, http.Header{"Content-Type": {"text/html"}}, "<html><body><h1>502 Bad Gateway</h1><p>image</p></body></html>", false},
		{"empty", 400, http.Header{}, "", false},
		{"cut JSON", 400, http.Header{"Content-Type": {"application/json"}}, words[:len(words)-3], true},
		{"wrong encoding", 400, http.Header{"Content-Encoding": {"gzip"}}, words, false},
		{"unknown encoding", 400, http.Header{"Content-Encoding": {"rot13"}}, words, false},
		{"30 MB, the cause behind an echo", 400, http.Header{"Content-Type": {"application/json"}}, echo(30 << 20), true},
		{"30 MB of something", 400, http.Header{"Content-Type": {"text/plain"}}, strings.Repeat("nothing to see. ", 30<<20/16), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bad := fakeapi.Answer{Status: c.status, Header: c.header, Body: []byte(c.body)}
			r := start(t, fakeapi.Always(bad), nil)
			turn := ask(fakeapi.Anthropic, true, cut())
			if a := r.passed(turn, session(1)...); a.status != c.status || a.body != c.body {
				t.Errorf("%d, %d bytes of %d", a.status, len(a.body), len(c.body))
			}
			want := "upstream_error"
			if c.recorded {
				want = "failure_recorded"
			}
			r.wantEvents(want)
		})
	}
}

// An engine's 500 with the whole request in it is still made a small 400.
func TestLargeServerErrorIsDowngraded(t *testing.T) {
	t.Parallel()
	body := `{"error":{"message":"Internal server error: An exception occurred while loading IMAGE data at index 0: Error while loading data data:image/png;base64,` +
		strings.Repeat("QUJD", 20<<20/4) + `: cannot identify image file"}}`
	r := start(t, fakeapi.Always(fakeapi.JSON(500, body)), nil)
	a := r.passed(ask(fakeapi.Chat, true, cut()), session(1)...)
	if m := a.refusal(t); len(m) > 1000 || !strings.Contains(m, "cannot identify image file") || strings.Contains(m, "QUJDQUJD") {
		t.Errorf("message of %d bytes: %.300s", len(m), m)
	}
}
