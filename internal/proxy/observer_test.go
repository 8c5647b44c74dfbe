package proxy_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/record"
	"imagebreaker/internal/upstream"
)

// spy writes down what it is told.
type spy struct {
	mu       sync.Mutex
	events   []string
	finished []string
	avoided  []record.Avoided
}

func (o *spy) Event(e eventlog.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, string(e.Event))
}

func (o *spy) Finished(x record.Exchange) {
	o.mu.Lock()
	defer o.mu.Unlock()
	line := fmt.Sprintf("%s %d", x.Protocol, x.Last().ClientStatus)
	for i := range x.Attempts {
		if a := &x.Attempts[i]; a.Answered() {
			line += fmt.Sprintf(" [%d %s %s %s %s]", a.Status, a.Error, x.RetryDecision(a), a.Verdict, a.Reason)
		}
	}
	if avoided := x.Avoided(); avoided.How != "" {
		line += fmt.Sprintf(" %s:%s", avoided.How, avoided.Reason)
		o.avoided = append(o.avoided, avoided)
	}
	if len(x.Last().Placeholders) > 0 {
		line += " repaired"
	}
	if probe := x.Probe(); probe != "" {
		line += " probe:" + string(probe)
	}
	if x.Bytes == 0 || x.Added < 0 || x.Added > time.Minute {
		line += fmt.Sprintf(" bytes=%d added=%v", x.Bytes, x.Added)
	}
	o.finished = append(o.finished, line)
}

// watched runs a rig with an observer.
func watched(t *testing.T, o *spy, s fakeapi.Script, set func(*proxy.Config)) *rig {
	return start(t, s, func(c *proxy.Config) {
		c.Observer = proxy.Observers{o}
		if set != nil {
			set(c)
		}
	})
}

// told compares what the spy was told of requests, at the end.
func (r *rig) told(o *spy, want ...string) {
	r.Helper()
	var logged []string
	for _, e := range r.events() {
		logged = append(logged, string(e.Event))
	}
	if !slices.Equal(o.events, logged) {
		r.Errorf("shown %v, logged %v", o.events, logged)
	}
	if !slices.Equal(o.finished, want) {
		r.Errorf("finished\n%q, want\n%q", o.finished, want)
	}
}

const (
	wentWell = " [200    ]"
	badImage = " [400 http_4xx non_retryable_client_media_error permanent decode_failed]"
)

func TestObserver(t *testing.T) {
	t.Parallel()
	var o spy
	bad := cut()
	r := watched(t, &o, fakeapi.Refusing(bad.needle()), nil)
	r.passed(ask(fakeapi.Anthropic, true, good()), session(1)...)
	c := ask(fakeapi.Anthropic, true, bad)
	r.passed(c, session(1)...)
	r.rejected(c, session(1)...)
	r.post(c.then("go on"), session(1)...)
	r.send("/v1/models", "{}") // belongs to no API
	r.told(&o,
		"anthropic 200"+wentWell, "anthropic 400"+badImage, "anthropic 200 held:decode_failed",
		"anthropic 200"+wentWell+" repaired:decode_failed repaired")
	note := 120 // about what stands in the image's place
	whole, image := int64(len(c.body())), int64(len(bad.b64()))
	if held, repaired := o.avoided[0].Bytes, o.avoided[1].Bytes; held != whole || repaired > image || repaired < image-int64(note)-200 {
		t.Errorf("avoided %d and %d of %d with an image of %d", held, repaired, whole, image)
	}
}

// The image of a first failure has been uploaded, whatever comes of it.
func TestObserverOfAResentRequest(t *testing.T) {
	t.Parallel()
	var o spy
	bad := cut()
	r := watched(t, &o, fakeapi.Refusing(bad.needle()), style(policy.Repair))
	r.post(ask(fakeapi.Chat, false, bad))
	r.post(ask(fakeapi.Chat, false, bad))
	r.told(&o, "openai_chat 200"+badImage+wentWell+" repaired", "openai_chat 200"+wentWell+" repaired:decode_failed repaired")
}

// What is bypassed is counted by its answer all the same.
func TestObserverOfBypassed(t *testing.T) {
	t.Parallel()
	var o spy
	statuses := []int{200, 400, 429, 529}
	n := 0
	r := watched(t, &o, func(fakeapi.Request) fakeapi.Answer {
		n++
		return fakeapi.JSON(statuses[n-1], `{}`)
	}, nil)
	for range statuses {
		r.send("/v1/messages", "not json")
	}
	r.told(&o, "anthropic 200"+wentWell, "anthropic 400 [400 http_4xx non_retryable_http_4xx  ]",
		"anthropic 429 [429 http_4xx retryable_rate_limited  ]", "anthropic 529 [529 http_5xx retryable_http_5xx  ]")
	for _, e := range o.events {
		if e != "forwarded_unseen" {
			t.Errorf("%s", e)
		}
	}
}

func TestObserverOfDryRun(t *testing.T) {
	t.Parallel()
	var o spy
	bad := cut()
	r := watched(t, &o, fakeapi.Refusing(bad.needle()), func(c *proxy.Config) { c.Mode = policy.DryRun })
	c := ask(fakeapi.Anthropic, true, bad)
	r.passed(c)
	r.passed(c)
	r.told(&o, "anthropic 400"+badImage, "anthropic 400"+badImage+" would_hold:decode_failed")
	if o.avoided[0].Bytes != int64(len(c.body())) {
		t.Errorf("%d bytes of %d", o.avoided[0].Bytes, len(c.body()))
	}
}

func TestObserverOfProbes(t *testing.T) {
	t.Parallel()
	var o spy
	bad := cut()
	r := watched(t, &o, fakeapi.Refusing(bad.needle()), nil)
	c := ask(fakeapi.Anthropic, true, bad)
	probe := func(s fakeapi.Script) {
		r.api.Play(s)
		r.clock.advance(time.Hour)
		r.post(c, session(1)...)
	}
	r.passed(c, session(1)...)
	probe(fakeapi.Refusing(bad.needle()))
	probe(fakeapi.Always(fakeapi.JSON(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)))
	probe(fakeapi.Refusing())
	r.told(&o, "anthropic 400"+badImage, "anthropic 400"+badImage+" probe:failed",
		"anthropic 529 [529 http_5xx retryable_http_5xx none overloaded] probe:inconclusive", "anthropic 200"+wentWell+" probe:recovered")
}

func TestObserverOfAnUpstreamThatIsDown(t *testing.T) {
	t.Parallel()
	var o spy
	ups, err := upstream.Parse("http://" + deadAddress(t))
	must(t, err)
	r := watched(t, &o, fakeapi.Refusing(), func(c *proxy.Config) { c.Upstreams = ups })
	r.post(ask(fakeapi.Gemini, false, good()))
	r.told(&o, "gemini 502 [0 network retryable_network  ]")
}

// faulty is an observer with a fault.
type faulty struct{}

func (faulty) Event(eventlog.Event)     { panic("of its own") }
func (faulty) Finished(record.Exchange) { panic("of its own") }

// An observer cannot break what it observes.
func TestObserverWithAFault(t *testing.T) {
	t.Parallel()
	bad := cut()
	r := start(t, fakeapi.Refusing(bad.needle()), func(c *proxy.Config) { c.Observer = faulty{} })
	c := ask(fakeapi.Anthropic, true, bad)
	r.passed(c, session(1)...)
	r.rejected(c, session(1)...)
	counts := map[record.Event]int{}
	for _, e := range r.events() {
		counts[e.Event]++
	}
	if counts["internal_error"] != 4 || counts["failure_recorded"] != 1 || counts["short_circuited"] != 1 {
		t.Errorf("logged %v", counts)
	}
}
