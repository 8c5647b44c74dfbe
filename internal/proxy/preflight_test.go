package proxy_test

import (
	"testing"
	"time"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
)

func TestPreflight(t *testing.T) {
	t.Parallel()
	avif := picture{kind: "image", label: "image/png", data: []byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1miaf and so on")}
	cases := []struct {
		name   string
		p      picture
		reason string // empty: it goes up
	}{
		{"a page", page("image/png"), "decode_failed"},
		{"a pointer", pointer(), "decode_failed"},
		{"nothing", picture{kind: "image", label: "image/png"}, "empty_image"},
		{"json", picture{kind: "image", label: "image/png", data: []byte(`{"error":"not found"}`)}, "decode_failed"},
		{"avif", avif, "unsupported_format"},
		{"a picture", good(), ""},
		{"a damaged picture", cut(), ""},
		{"a document", pdf(), ""},
		{"a remote one", remote("https://media.example.test/a.html"), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, fakeapi.Refusing(), func(c *proxy.Config) { c.Preflight = true })
			turn := ask(fakeapi.Anthropic, true, good(), c.p)
			if c.reason == "" {
				r.passed(turn, session(1)...)
				r.wantEvents()
				return
			}
			r.rejected(turn, session(1)...).turn(t, turn)
			r.substituted(turn.then("go on"), session(1), c.p)
			es := r.wantEvents("short_circuited", "repaired")
			wantImages(t, es[0], c.p)
			if string(es[0].Reason) != c.reason {
				t.Errorf("%+v", es[0])
			}
			if n := r.api.Uploads(c.p.needle()); n != 0 && len(c.p.data) > 0 {
				t.Errorf("%d uploads", n)
			}
		})
	}
}

// Off by default: the API decides.
func TestNoPreflight(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), nil)
	r.passed(ask(fakeapi.Anthropic, true, page("image/png")), session(1)...)
}

// What went well in this session is not inspected again.
func TestPreflightTrustsTheAPI(t *testing.T) {
	t.Parallel()
	p := page("image/png")
	r := start(t, fakeapi.Refusing(), nil)
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...)
	r.proxy.Preflight = true
	r.passed(c, session(1)...)
}

// A verdict that was wrong can be undone, and is probed like any other.
func TestPreflightCanBeUndone(t *testing.T) {
	t.Parallel()
	p := page("image/png")
	r := start(t, fakeapi.Refusing(), func(c *proxy.Config) { c.Preflight, c.Reply = true, policy.Message })
	c := ask(fakeapi.Anthropic, true, p)
	r.rejected(c, session(1)...)
	r.clock.advance(time.Minute)
	r.passed(c, session(1)...) // the probe
	r.rejected(c, session(2)...)
	r.reserved("DELETE", "/-/breakers/"+r.listed()[0]["signature"].(string))
	r.passed(c, session(2)...)
}

// However short the cool-off, preflight inspects a request once.
func TestPreflightWithoutCoolOff(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), func(c *proxy.Config) { c.Preflight, c.CoolOff, c.Now = true, 1, nil })
	r.post(ask(fakeapi.Anthropic, true, page("image/png")), session(1)...)
}
