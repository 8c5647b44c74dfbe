package proxy_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/proxy"
)

// onlooker writes down what it is told.
type onlooker struct {
	mu       sync.Mutex
	events   []string
	finished []string
}

func (o *onlooker) Event(e eventlog.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, e.Event)
}

func (o *onlooker) Finished(f proxy.Finished) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finished = append(o.finished, fmt.Sprintf("%s %d %d %s bytes=%v", f.Protocol, f.Status, f.ClientStatus, f.ErrorKind, f.Bytes > 0))
	if f.Added < 0 || f.Added > time.Minute {
		o.finished = append(o.finished, f.Added.String())
	}
}

func TestObserver(t *testing.T) {
	t.Parallel()
	var o onlooker
	bad := cut()
	r := start(t, fakeapi.Refusing(bad.needle()), func(c *proxy.Config) { c.Observer = &o })
	r.passed(ask(fakeapi.Anthropic, true, good()), session(1)...)
	c := ask(fakeapi.Anthropic, true, bad)
	r.passed(c, session(1)...)
	r.held(c, session(1)...)
	r.post(c.then("go on"), session(1)...)
	r.send("/v1/models", "{}") // belongs to no API
	es := r.events()           // nothing runs any more
	var logged []string
	for _, e := range es {
		logged = append(logged, e.Event)
	}
	if !slices.Equal(o.events, logged) || len(logged) != 3 {
		t.Errorf("shown %v, logged %v", o.events, logged)
	}
	want := []string{"anthropic 200 200  bytes=true", "anthropic 400 400 http_4xx bytes=true", "anthropic 0 200  bytes=true", "anthropic 200 200  bytes=true"}
	if !slices.Equal(o.finished, want) {
		t.Errorf("finished %q, want %q", o.finished, want)
	}
}
