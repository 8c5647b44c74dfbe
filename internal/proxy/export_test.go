package proxy

import (
	"net/http"
	"net/url"
	"testing"

	"imagebreaker/breaker"
	"imagebreaker/imagehash"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/repairs"
)

// InjectFault calls f before each step of every request.
func InjectFault(p *Proxy, f func(step string)) { p.testOnlyFault = f }

// LookAtAll has bodies of any length looked at while they come, and go ahead.
func LookAtAll(p *Proxy) { p.longFrom = 1 }

// Spoil destroys what is in memory that was given back.
func Spoil(p *Proxy) { p.bodies.spoil = true }

// Lent is how many bodies' memory is not back.
func Lent(p *Proxy) int {
	p.bodies.mu.Lock()
	defer p.bodies.mu.Unlock()
	return p.bodies.lent
}

// Splice replaces the images with these sums in a request's body.
func Splice(t *testing.T, path string, body []byte, sums []imagehash.Sum) []byte {
	t.Helper()
	u, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	api, call, ok := protocol.All().Match(http.MethodPost, u, nil)
	if !ok {
		t.Fatalf("%s belongs to no API", path)
	}
	req, err := protocol.Scan(api, call, http.Header{}, body, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := &exchange{api: api, plain: body, req: req}
	targets := replaced{}
	for _, s := range sums {
		targets[breaker.Item(s)] = repairs.Mark{}
	}
	out, ok := x.spliced(targets)
	if !ok {
		t.Fatal("cannot be replaced")
	}
	return out
}
