package proxy

import (
	"net/http"
	"net/url"
	"testing"

	"imagebreaker/imagehash"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/substitution"
)

// InjectFault calls f before each stage of every request.
func InjectFault(p *Proxy, f func(stage string)) { p.testOnlyFault = f }

// InspectAllEarly has bodies of any length inspected while they are received, and go
// up early.
func InspectAllEarly(p *Proxy) { p.longFrom = 1 }

// Poison destroys what is in memory that was given back.
func Poison(p *Proxy) { p.buffers.Poison = true }

// BuffersInUse is how many bodies' memory is not back.
func BuffersInUse(p *Proxy) int { return p.buffers.InUse() }

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
	set := substitution.Set{}
	for _, s := range sums {
		set[s] = substitution.Mark{}
	}
	out, ok := substitution.Splice(api, req.Parts(), body, set)
	if !ok {
		t.Fatal("cannot be replaced")
	}
	return out
}
