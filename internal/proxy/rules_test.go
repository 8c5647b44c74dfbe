package proxy_test

import (
	"testing"

	"imagebreaker/internal/failure"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/proxy"
)

// A rule of the user's own goes before the built-in ones, both ways.
func TestUserRules(t *testing.T) {
	t.Parallel()
	rules, err := failure.ParseRules([]byte(`[
		{"match": "media worker refused", "verdict": "permanent", "reason": "decode_failed"},
		{"match": "Could not process image", "verdict": "none"}
	]`))
	must(t, err)
	odd := fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"the media worker refused it"}}`)
	r := start(t, fakeapi.Always(odd), func(c *proxy.Config) { c.Rules = rules })
	c := ask(fakeapi.Anthropic, true, good())
	r.passed(c, session(1)...).untouched(t, odd)
	r.rejected(c, session(1)...)
	r.api.Play(fakeapi.Always(fakeapi.BadImage(fakeapi.Anthropic)))
	other := ask(fakeapi.Anthropic, true, cut())
	for range 2 {
		r.passed(other, session(1)...)
	}
	r.wantEvents("failure_recorded", "short_circuited", "upstream_error", "upstream_error")
}
