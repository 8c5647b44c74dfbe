package proxy_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/substitution"
)

// badBytes is how a bad image begins, so that the upstream knows it in base64.
const badBytes = "BAD"

func soakImage(api fakeapi.API, start string, n int) string {
	data := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s%06d and so on", start, n))
	if api == fakeapi.Anthropic {
		return `{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"` + data + `"}}`
	}
	return `{"type":"image_url","image_url":{"url":"data:image/gif;base64,` + data + `"}}`
}

// agent is somebody's session: a history that grows, now and then with a bad
// image in it.
type agent struct {
	api      fakeapi.API
	headers  []string
	messages []string
	retries  int // of the turn that failed
}

// life is a day in which agents come and go.
type life struct {
	r      *rand.Rand
	images int // so far
	names  int // of sessions so far
	agents []*agent
	last   *agent
}

func (l *life) newAgent() *agent {
	l.names++
	a := &agent{api: []fakeapi.API{fakeapi.Anthropic, fakeapi.Chat}[l.names%2], headers: session(l.names)}
	switch l.names % 8 {
	case 0:
		a.headers = nil // a script
	case 2:
		a.headers = []string{"X-Claude-Code-Session-Id", fmt.Sprintf("%08x-0000-4000-8000-000000000000", l.names)}
	}
	return a
}

// turn is the next thing that one of the agents sends.
func (l *life) turn() (*agent, string) {
	i := l.r.IntN(len(l.agents))
	if len(l.agents[i].messages) > 24 {
		l.agents[i] = l.newAgent()
	}
	a := l.agents[i]
	if l.last != nil && l.last.retries > 0 {
		a = l.last // clients try again at once
	}
	l.last = a
	if a.retries > 0 {
		a.retries--
	} else {
		l.images++
		start := "GIF89a\x01\x00\x01\x00"
		if l.r.IntN(40) == 0 {
			start, a.retries = badBytes, 3
		}
		a.messages = append(a.messages, fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"look at %d"},%s]}`, l.images, soakImage(a.api, start, l.images)))
	}
	return a, `{"model":"m","messages":[` + strings.Join(a.messages, `,{"role":"assistant","content":"noted"},`) + `]}`
}

// level is what a proxy holds at one time.
type level struct {
	heap                uint64
	goroutines          int
	entries, remembered int
}

func entriesOf(p *proxy.Proxy) int {
	n := 0
	for _, inState := range p.Count() {
		n += inState
	}
	return n
}

func levelOf(t *testing.T, p *proxy.Proxy, m *substitution.Memory) level {
	t.Helper()
	runtime.GC()
	runtime.GC() // what the first one found only to be finalized
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return level{s.HeapAlloc, runtime.NumGoroutine(), entriesOf(p), len(m.List())}
}

// TestSoak lets a proxy live through a day: tens of thousands of turns of more than
// a thousand sessions, with failures, repeats, substitutions, probes and recoveries. What
// it holds is at its level after six hours, and still there at the end.
func TestSoak(t *testing.T) { // not parallel: it measures the process
	const capacity = 64
	turns := 36_000
	if raced || testing.Short() {
		turns = 2000 // the rest would be the same once more
	}
	k := &clock{t: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	log, err := eventlog.Open(eventlog.Config{Path: os.DevNull, Now: k.now})
	must(t, err)
	memory := substitution.Open(substitution.Config{Capacity: capacity, Now: k.now})
	step := 24 * time.Hour / time.Duration(turns)
	did := map[string]int{}
	needle := base64.StdEncoding.EncodeToString([]byte(badBytes))
	p := inMemory(scripted(fakeapi.Refusing(needle)), func(c *proxy.Config) {
		c.Log, c.Substitutions, c.Capacity, c.Now = log, memory, capacity, k.now
		c.CoolOff, c.MaxHold = 12*step, 360*step // 29 s and 14 min, in a day of 36,000 turns
	})
	l := &life{r: rand.New(rand.NewPCG(1, 2))}
	for range 40 {
		l.agents = append(l.agents, l.newAgent())
	}
	call(p, http.MethodPost, "/v1/messages", `{"messages":[{"role":"user","content":[`+soakImage(fakeapi.Anthropic, badBytes, 0)+`]}]}`) // the rules are compiled now
	start := levelOf(t, p, memory)
	var six, end level
	for n := range turns {
		k.advance(step)
		a, body := l.turn()
		path := map[fakeapi.API]string{fakeapi.Anthropic: "/v1/messages", fakeapi.Chat: "/v1/chat/completions"}[a.api]
		got := call(p, http.MethodPost, path, body, a.headers...)
		action, _, _ := strings.Cut(got.header.Get("X-Imagebreaker"), ";")
		did[fmt.Sprint(got.status, " ", action)]++
		if n%2000 == 1000 {
			p.Forget(func(string) bool { return true })
		}
		if n == turns/4-1 {
			six = levelOf(t, p, memory)
		}
	}
	end = levelOf(t, p, memory)
	runtime.KeepAlive([]any{p, l, memory}) // or the last look finds them gone
	must(t, log.Close())
	t.Logf("%d sessions, %d images, %v", l.names, l.images, did)
	t.Logf("at the start %+v, after 6 h %+v, after 24 h %+v", start, six, end)
	for _, want := range []string{"200 ", "400 ", "200 short-circuited", "400 short-circuited", "200 repaired"} {
		if did[want] == 0 {
			t.Errorf("no %q in a whole day", want)
		}
	}
	for _, at := range []level{six, end} {
		if at.entries > capacity || at.remembered > capacity {
			t.Errorf("%d entries and %d substitutions, more than %d", at.entries, at.remembered, capacity)
		}
	}
	if end.goroutines > start.goroutines {
		t.Errorf("%d goroutines at the start, %d at the end", start.goroutines, end.goroutines)
	}
	// Without a leak this is noise: much less than a quarter of what a turn sends up.
	grown := int64(end.heap) - int64(six.heap)
	t.Logf("the heap has grown by %d bytes in the %d turns after 6 h", grown, turns-turns/4)
	if perTurn := grown / int64(turns-turns/4); !raced && perTurn > int64(len(soakImage(fakeapi.Chat, badBytes, 0))) {
		t.Errorf("the heap grows by %d bytes a turn", perTurn)
	}
}
