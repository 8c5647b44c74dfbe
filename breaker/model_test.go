package breaker

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// model is the breaker as one would tell it to a colleague: a list, gone
// through from end to end, without an LRU.
type model struct {
	coolOff, maxHold time.Duration
	entries          []*modelEntry
	firsts           []modelFirst
	good             map[Item]bool
	events           int
}

type modelEntry struct {
	culprits []Item
	whole    bool
	recorded int // the event at which
	since    time.Time
	last     time.Time // recorded or held
	probing  int       // the event that is the probe; 0 none
}

type modelFirst struct {
	culprits []Item
	at       time.Time
	event    int
}

func subset(a, of []Item) bool {
	for _, it := range a {
		if !slices.Contains(of, it) {
			return false
		}
	}
	return true
}

func (e *modelEntry) until(m *model) time.Time {
	if u, end := e.last.Add(m.coolOff), e.since.Add(m.maxHold); u.Before(end) {
		return u
	} else {
		return end
	}
}

func (m *model) carried(its []Item) []*modelEntry {
	var out []*modelEntry
	for _, e := range m.entries {
		if subset(e.culprits, its) && (!e.whole || subset(its, e.culprits)) {
			out = append(out, e)
		}
	}
	return out
}

// check returns the number of entries that hold and that are probed, and the event.
func (m *model) check(its []Item, now time.Time) (holding, probed, event int) {
	m.events++
	var open []*modelEntry
	for _, e := range m.carried(its) {
		switch {
		case now.Before(e.until(m)):
			e.last = now
			holding++
		case e.probing != 0:
			holding++
		default:
			open = append(open, e)
		}
	}
	if holding == 0 {
		for _, e := range open {
			e.probing = m.events
		}
		probed = len(open)
	}
	return holding, probed, m.events
}

func (m *model) release(event int) {
	for _, e := range m.entries {
		if e.probing == event {
			e.probing = 0
		}
	}
}

func (m *model) fail(event int, f Failure[int], now time.Time) bool {
	defer m.release(event)
	same := func(c []Item) bool { return subset(c, f.Items) && subset(f.Items, c) }
	i := slices.IndexFunc(m.entries, func(e *modelEntry) bool { return same(e.culprits) })
	if i >= 0 && m.entries[i].recorded > event {
		return true
	}
	if i < 0 && f.Suspect {
		k := slices.IndexFunc(m.firsts, func(x modelFirst) bool { return same(x.culprits) })
		if k < 0 || now.Sub(m.firsts[k].at) >= m.maxHold {
			m.firsts = slices.DeleteFunc(m.firsts, func(x modelFirst) bool { return same(x.culprits) })
			m.events++
			m.firsts = append(m.firsts, modelFirst{f.Items, now, m.events})
			return false
		}
		if m.firsts[k].event > event {
			return false
		}
	}
	m.events++
	e := &modelEntry{culprits: f.Items, whole: f.Whole, recorded: m.events, since: now, last: now}
	if i >= 0 {
		m.entries[i] = e
	} else {
		m.entries = append(m.entries, e)
	}
	m.firsts = slices.DeleteFunc(m.firsts, func(x modelFirst) bool { return same(x.culprits) })
	if !f.Whole {
		for _, it := range f.Items {
			delete(m.good, it)
		}
	}
	return true
}

func (m *model) succeed(event int, its []Item) (cleared int) {
	defer m.release(event)
	bad := map[Item]bool{}
	gone := map[*modelEntry]bool{}
	for _, e := range m.carried(its) {
		if e.recorded < event {
			gone[e] = true
			cleared++
			continue
		}
		for _, it := range e.culprits {
			bad[it] = true
		}
	}
	m.entries = slices.DeleteFunc(m.entries, func(e *modelEntry) bool { return gone[e] })
	m.firsts = slices.DeleteFunc(m.firsts, func(x modelFirst) bool { return subset(x.culprits, its) })
	for _, it := range its {
		if !bad[it] {
			m.good[it] = true
		}
	}
	return cleared
}

// TestAgainstModel plays random sequences on the breaker and on the model.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 11))
		m := &model{coolOff: 10 * time.Second, maxHold: 35 * time.Second, good: map[Item]bool{}}
		k := newClock()
		b := New(Config[int]{CoolOff: m.coolOff, MaxHold: m.maxHold, Now: k.now})
		type flight struct {
			lease *Lease[int]
			event int
			its   []Item
		}
		var flights []flight
		var story []string
		for step := range 200 {
			switch n := r.IntN(10); {
			case n < 3:
				d := time.Duration(r.IntN(14)) * time.Second
				k.advance(d)
				story = append(story, fmt.Sprintf("+%s", d))
			case n == 3:
				session := []string{"", "s", "other"}[r.IntN(3)]
				lease := b.AcquireUnseen(session)
				if want := session == "other" || len(m.entries) == 0; (lease != nil) != want {
					t.Fatalf("seed %d step %d: goes unseen %v, the model %v\n%v", seed, step, lease != nil, want, story)
				}
				if lease != nil {
					m.events++
					its := pick(r)
					lease.Bind(Request{Session: "s", Scope: "m", Items: its})
					flights = append(flights, flight{lease, m.events, its})
					story = append(story, "unseen "+short(its))
				}
			case n < 7 || len(flights) == 0:
				its := pick(r)
				request := Request{Session: "s", Scope: "m", Items: its}
				peeked := b.Peek(request)
				if r.IntN(4) == 0 {
					compareDecision(t, m, its, k.now(), peeked)
					break // and never ask
				}
				lease, d := b.Acquire(request)
				rejecting, probed, event := m.check(its, k.now())
				story = append(story, fmt.Sprintf("acquire %s: rejected by %d, probes %d", short(its), len(d.Open), len(d.HalfOpen)))
				if len(d.Open) != rejecting || len(d.HalfOpen) != probed || (lease == nil) != (rejecting > 0) || len(peeked.Open) != rejecting || len(peeked.HalfOpen) != probed {
					t.Fatalf("seed %d step %d: the model rejects with %d and probes %d, peeked %d and %d\n%v", seed, step, rejecting, probed, len(peeked.Open), len(peeked.HalfOpen), story)
				}
				if lease == nil {
					b.Reject(d.Open, r.IntN(2) == 0)
				} else {
					flights = append(flights, flight{lease, event, its})
				}
			default:
				i := r.IntN(len(flights))
				f := flights[i]
				flights = slices.Delete(flights, i, i+1)
				switch r.IntN(4) {
				case 0:
					got, want := len(f.lease.Succeed()), m.succeed(f.event, f.its)
					story = append(story, fmt.Sprintf("success %s", short(f.its)))
					if got != want {
						t.Fatalf("seed %d step %d: cleared %d, the model %d\n%v", seed, step, got, want, story)
					}
				case 1:
					f.lease.Release()
					m.release(f.event)
					story = append(story, fmt.Sprintf("nothing %s", short(f.its)))
				default:
					fail := Failure[int]{Items: culprits(r, f.its), Whole: r.IntN(5) == 0, Suspect: r.IntN(3) == 0}
					if fail.Whole {
						fail.Items = distinct(f.its)
					}
					_, got := f.lease.Fail(fail)
					want := m.fail(f.event, fail, k.now())
					story = append(story, fmt.Sprintf("failure %s whole %v suspect %v", short(fail.Items), fail.Whole, fail.Suspect))
					if got != want {
						t.Fatalf("seed %d step %d: recorded %v, the model %v\n%v", seed, step, got, want, story)
					}
				}
			}
			compare(t, b, m, k.now(), story)
		}
	}
}

// compareDecision wants Peek to say what the model would.
func compareDecision(t *testing.T, m *model, its []Item, now time.Time, d Decision[int]) {
	t.Helper()
	rejecting, halfOpen := 0, 0
	for _, e := range m.carried(its) {
		if now.Before(e.until(m)) || e.probing != 0 {
			rejecting++
		} else {
			halfOpen++
		}
	}
	if rejecting > 0 {
		halfOpen = 0
	}
	if len(d.Open) != rejecting || len(d.HalfOpen) != halfOpen {
		t.Fatalf("peeked %d open and %d half-open, the model has %d and %d", len(d.Open), len(d.HalfOpen), rejecting, halfOpen)
	}
}

// compare holds what both remember side by side.
func compare(t *testing.T, b *Breaker[int], m *model, now time.Time, story []string) {
	t.Helper()
	got, want := map[string]time.Duration{}, map[string]time.Duration{}
	for _, e := range b.Entries() {
		got[short(e.Items)] = e.Remaining
	}
	for _, e := range m.entries {
		want[short(e.culprits)] = max(0, e.until(m).Sub(now))
	}
	if !maps.Equal(got, want) {
		t.Fatalf("entries %v, the model has %v\n%v", got, want, story)
	}
	for n := byte(1); n <= 5; n++ {
		if good := len(b.Unverified("s", items(n))) == 0; good != m.good[item(n)] {
			t.Fatalf("item %d good: %v, the model says %v\n%v", n, good, m.good[item(n)], story)
		}
	}
}

// pick is a request's worth of items out of five.
func pick(r *rand.Rand) []Item {
	var out []Item
	for range 1 + r.IntN(4) {
		out = append(out, item(byte(1+r.IntN(5))))
	}
	return out
}

func distinct(its []Item) []Item {
	its = slices.SortedFunc(slices.Values(its), func(a, b Item) int { return cmp.Compare(a[0], b[0]) })
	return slices.Compact(its)
}

func culprits(r *rand.Rand, its []Item) []Item {
	d := distinct(its)
	return d[:1+r.IntN(len(d))]
}

func short(its []Item) string {
	s := ""
	for _, it := range distinct(its) {
		s += fmt.Sprint(it[0])
	}
	return s
}

// TestWindow lets the real clock of a bubble run.
func TestWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New(Config[string]{})
		leave(b, request(1)).Fail(blame(1))
		start := time.Now()
		for time.Since(start) < 10*time.Minute {
			time.Sleep(20 * time.Second)
			rejected(t, b, request(1))
		}
		time.Sleep(30*time.Second - time.Nanosecond)
		rejected(t, b, request(1))
		time.Sleep(30 * time.Second)
		if d := sent(t, b, request(1)); len(d.Probed()) != 1 {
			t.Error("no probe after 30 s without an attempt")
		}
	})
}

// TestParallel is for the race detector; what it asks is that no two probes
// are on their way at once.
func TestParallel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New(Config[string]{Capacity: 64})
		leave(b, request(1)).Fail(blame(1))
		time.Sleep(time.Minute)
		probes := make(chan *Lease[string], 100)
		for range 100 {
			go func() {
				if lease := leave(b, request(1)); lease != nil {
					probes <- lease
				}
			}()
		}
		synctest.Wait()
		if n := len(probes); n != 1 {
			t.Errorf("%d probes at once", n)
		}
		(<-probes).Fail(blame(1))
	})
}

func ExampleBreaker() {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := New(Config[string]{Now: func() time.Time { return now }})
	r := Request{Session: "conversation", Scope: "model", Items: []Item{{0xba, 0xd0}}}

	lease, _ := b.Acquire(r) // nothing is known: the request goes, and fails
	lease.Fail(Failure[string]{Items: r.Items, Info: "cannot be decoded"})

	d := b.Peek(r)
	fmt.Println("rejected:", d.Open[0].Info, d.Open[0].Remaining)

	now = now.Add(31 * time.Second)
	lease, d = b.Acquire(r)
	fmt.Println("rejected:", len(d.Open), "probes:", len(lease.Probed()))
	// Output:
	// rejected: cannot be decoded 30s
	// rejected: 0 probes: 1
}

func BenchmarkReject(b *testing.B) {
	br := New(Config[string]{Capacity: 10000})
	for i := range 10000 {
		it := Item{byte(i), byte(i >> 8), 1}
		r := Request{Session: "s", Scope: "m", Items: []Item{it}}
		leave(br, r).Fail(Failure[string]{Items: r.Items})
	}
	b.RunParallel(func(pb *testing.PB) {
		r := request(1, 2, 3)
		r.Items[1] = Item{7, 7, 1}
		for pb.Next() {
			br.Reject(br.Peek(r).Open, true)
		}
	})
}
