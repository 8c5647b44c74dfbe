package proxy_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
)

// A clock that is set back an hour keeps no entry open for longer than the cool-off
// from the next attempt on.
func TestClockThatGoesBack(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...)
	r.clock.advance(-time.Hour)
	r.rejected(c, session(1)...)
	r.clock.advance(31 * time.Second)
	r.passed(c, session(1)...) // the probe
	r.rejected(c, session(1)...)
}

// moody is an upstream that does anything at any time.
func moody(n *atomic.Uint64) upstreamFunc {
	return func(q fakeapi.Request) (fakeapi.Answer, error) {
		r := rand.New(rand.NewPCG(n.Add(1), 3))
		api := fakeapi.Of(q.URI)
		stream := strings.Contains(string(q.Body), `"stream":true`) || strings.Contains(q.URI, "alt=sse")
		switch r.IntN(12) {
		case 0, 1, 2:
			return fakeapi.BadImage(api), nil
		case 3:
			a := fakeapi.BadImage(api)
			a.Status = 500
			return a, nil
		case 4:
			return fakeapi.JSON(503, `{"error":{"message":"overloaded"}}`), nil
		case 5:
			return fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"too many images: at most 1 images are allowed"}}`), nil
		case 6:
			return fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0.image.source.base64: Could not process image"}}`), nil
		case 7:
			return fakeapi.Answer{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: []byte("event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"Could not process image\"}}\n\n")}, nil
		case 8:
			return fakeapi.Answer{}, errors.New("no route")
		case 9:
			return fakeapi.JSON(500, `{"error":{"message":"cannot identify image file: media worker failed"}}`), nil
		}
		return fakeapi.Success(api, stream, "all good"), nil
	}
}

// question is a request as it is sent.
type question struct{ path, body string }

// stormTurns are turns of all APIs, with images that many of them share.
func stormTurns() []question {
	var out []question
	add := func(talks ...talk) {
		for _, c := range talks {
			out = append(out, question{c.path(), c.body()})
		}
	}
	for _, c := range canaryTalks() {
		for _, body := range []string{strings.Replace(c.body, "LATER", "", 1), strings.Replace(c.body, "LATER", c.later, 1)} {
			out = append(out, question{planted(c.path), planted(body)})
		}
	}
	images := []picture{cut(), good(), page("image/png"), pdf(), remote("https://media.example.test/a.png"), pointer()}
	for _, api := range apis {
		for i := range images {
			c := ask(api, i%2 == 0, images[i], images[(i+1)%len(images)])
			more := read(api, i%2 == 1, "shot.png", images[i])
			more.tools = true
			add(c, more, c.then("go on"), more.then("go on"))
			if api == fakeapi.Anthropic || api == fakeapi.Gemini {
				c.count = true
				add(c)
			}
		}
	}
	return out
}

// TestParallelStorm has 64 clients at one proxy, with every API and style and
// odd upstreams, faults of our own, and somebody who forgets entries all the
// time. The race detector and goleak watch; that is the test.
func TestParallelStorm(t *testing.T) {
	t.Parallel()
	turns := stormTurns()
	each := 40
	if testing.Short() {
		each = 10
	}
	for _, s := range []policy.Style{policy.Auto, policy.Message, policy.Failed, policy.Repair} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			k := &clock{t: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
			set, events := inLog(t, func(c *proxy.Config) { c.Reply, c.Now, c.Preflight, c.Capacity = s, k.now, true, 64 })
			var n, steps atomic.Uint64
			p := inMemory(moody(&n), set)
			proxy.InjectFault(p, func(stage string) {
				if steps.Add(1)%97 == 0 {
					panic("injected")
				}
			})
			var wg sync.WaitGroup
			for client := range 16 { // with the four styles, 64
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(client), 7))
					for range each {
						stormStep(t, p, k, r, turns)
					}
				})
			}
			wg.Wait()
			seen := map[string]int{}
			for _, e := range events() {
				seen[string(e.Event)]++
			}
			t.Log(seen)
			for _, want := range []string{"failure_recorded", "internal_error", "upstream_error"} {
				if seen[want] == 0 {
					t.Errorf("no %s in the storm", want)
				}
			}
		})
	}
}

// stormStep is one thing that somebody does in a storm.
func stormStep(t *testing.T, p *proxy.Proxy, k *clock, r *rand.Rand, turns []question) {
	switch r.IntN(80) {
	case 0:
		call(withPages(p), http.MethodDelete, "/-/breakers", "")
	case 1:
		call(withPages(p), http.MethodDelete, fmt.Sprintf("/-/breakers/%016x", r.Uint64()), "")
	case 2:
		if a := call(withPages(p), http.MethodGet, "/-/breakers", ""); a.status != 200 {
			t.Errorf("the list: %d", a.status)
		}
	case 3, 4:
		k.advance(time.Duration(r.IntN(40)) * time.Second)
	default:
		c := turns[r.IntN(len(turns))]
		var headers []string
		switch r.IntN(3) {
		case 0:
			headers = session(r.IntN(4))
		case 1:
			headers = claude(r.IntN(4))
		}
		wantAnswer(t, c, call(p, http.MethodPost, c.path, c.body, headers...))
	}
}

// wantAnswer wants an answer that some client could live with: never a status
// of our own making but 200, 400 and 502.
func wantAnswer(t *testing.T, c question, a answer) {
	t.Helper()
	switch made := a.header.Get("X-Imagebreaker"); {
	case strings.HasPrefix(made, "short-circuited") && a.status != 200 && a.status != 400,
		strings.HasPrefix(made, "downgraded") && a.status != 400,
		a.status != 200 && a.status != 400 && a.status != 500 && a.status != 502 && a.status != 503:
		t.Errorf("%s: %d %s: %.200s", c.path, a.status, made, a.body)
	}
}
