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
	same := func(c []Item) bool { return subset(c, f.Culprits) && subset(f.Culprits, c) }
	i := slices.IndexFunc(m.entries, func(e *modelEntry) bool { return same(e.culprits) })
	if i >= 0 && m.entries[i].recorded > event {
		return true
	}
	if i < 0 && f.Suspect {
		k := slices.IndexFunc(m.firsts, func(x modelFirst) bool { return same(x.culprits) })
		if k < 0 || now.Sub(m.firsts[k].at) >= m.maxHold {
			m.firsts = slices.DeleteFunc(m.firsts, func(x modelFirst) bool { return same(x.culprits) })
			m.events++
			m.firsts = append(m.firsts, modelFirst{f.Culprits, now, m.events})
			return false
		}
		if m.firsts[k].event > event {
			return false
		}
	}
	m.events++
	e := &modelEntry{culprits: f.Culprits, whole: f.Whole, recorded: m.events, since: now, last: now}
	if i >= 0 {
		m.entries[i] = e
	} else {
		m.entries = append(m.entries, e)
	}
	m.firsts = slices.DeleteFunc(m.firsts, func(x modelFirst) bool { return same(x.culprits) })
	if !f.Whole {
		for _, it := range f.Culprits {
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
		b := New[int](Config{CoolOff: m.coolOff, MaxHold: m.maxHold, Now: k.now})
		type flight struct {
			ticket Ticket
			event  int
			its    []Item
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
				ticket, ok := b.Depart(session)
				if want := session == "other" || len(m.entries) == 0; ok != want {
					t.Fatalf("seed %d step %d: departs %v, the model %v\n%v", seed, step, ok, want, story)
				}
				if ok {
					m.events++
					its := pick(r)
					flights = append(flights, flight{ticket.Carrying(Request{Session: "s", Scope: "m", Items: its}), m.events, its})
					story = append(story, "depart "+short(its))
				}
			case n < 7 || len(flights) == 0:
				its := pick(r)
				d := b.Check(Request{Session: "s", Scope: "m", Items: its})
				holding, probed, event := m.check(its, k.now())
				story = append(story, fmt.Sprintf("check %s: held %d probed %d", short(its), len(d.Held), len(d.Probed)))
				if len(d.Held) != holding || len(d.Probed) != probed {
					t.Fatalf("seed %d step %d: the model holds %d and probes %d\n%v", seed, step, holding, probed, story)
				}
				if holding == 0 {
					flights = append(flights, flight{d.Ticket, event, its})
				}
			default:
				i := r.IntN(len(flights))
				f := flights[i]
				flights = slices.Delete(flights, i, i+1)
				switch r.IntN(4) {
				case 0:
					got, want := len(b.Succeed(f.ticket)), m.succeed(f.event, f.its)
					story = append(story, fmt.Sprintf("success %s", short(f.its)))
					if got != want {
						t.Fatalf("seed %d step %d: cleared %d, the model %d\n%v", seed, step, got, want, story)
					}
				case 1:
					b.Abandon(f.ticket)
					m.release(f.event)
					story = append(story, fmt.Sprintf("nothing %s", short(f.its)))
				default:
					fail := Failure[int]{Culprits: culprits(r, f.its), Whole: r.IntN(5) == 0, Suspect: r.IntN(3) == 0}
					if fail.Whole {
						fail.Culprits = distinct(f.its)
					}
					_, got := b.Fail(f.ticket, fail)
					want := m.fail(f.event, fail, k.now())
					story = append(story, fmt.Sprintf("failure %s whole %v suspect %v", short(fail.Culprits), fail.Whole, fail.Suspect))
					if got != want {
						t.Fatalf("seed %d step %d: recorded %v, the model %v\n%v", seed, step, got, want, story)
					}
				}
			}
			compare(t, b, m, k.now(), story)
		}
	}
}

// compare holds what both remember side by side.
func compare(t *testing.T, b *Breaker[int], m *model, now time.Time, story []string) {
	t.Helper()
	got, want := map[string]time.Duration{}, map[string]time.Duration{}
	for _, e := range b.Entries() {
		got[short(e.Culprits)] = e.Remaining
	}
	for _, e := range m.entries {
		want[short(e.culprits)] = max(0, e.until(m).Sub(now))
	}
	if !maps.Equal(got, want) {
		t.Fatalf("entries %v, the model has %v\n%v", got, want, story)
	}
	for n := byte(1); n <= 5; n++ {
		if good := len(b.Unproven("s", items(n))) == 0; good != m.good[item(n)] {
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
		b := New[string](Config{})
		b.Fail(b.Check(request(1)).Ticket, blame(1))
		start := time.Now()
		for time.Since(start) < 10*time.Minute {
			time.Sleep(20 * time.Second)
			held(t, b, request(1))
		}
		time.Sleep(30*time.Second - time.Nanosecond)
		held(t, b, request(1))
		time.Sleep(30 * time.Second)
		if d := sent(t, b, request(1)); len(d.Probed) != 1 {
			t.Error("no probe after 30 s without an attempt")
		}
	})
}

// TestParallel is for the race detector; what it asks is that no two probes
// are on their way at once.
func TestParallel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New[string](Config{Capacity: 64})
		b.Fail(b.Check(request(1)).Ticket, blame(1))
		time.Sleep(time.Minute)
		probes := make(chan Ticket, 100)
		for range 100 {
			go func() {
				if d := b.Check(request(1)); len(d.Held) == 0 {
					probes <- d.Ticket
				}
			}()
		}
		synctest.Wait()
		if n := len(probes); n != 1 {
			t.Errorf("%d probes at once", n)
		}
		b.Fail(<-probes, blame(1))
	})
}

func ExampleBreaker() {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := New[string](Config{Now: func() time.Time { return now }})
	r := Request{Session: "conversation", Scope: "model", Items: []Item{{0xba, 0xd0}}}

	d := b.Check(r) // nothing is known: the request goes, and fails
	b.Fail(d.Ticket, Failure[string]{Culprits: r.Items, Info: "cannot be decoded"})

	d = b.Check(r)
	fmt.Println("held:", d.Held[0].Info, d.Held[0].Remaining)

	now = now.Add(31 * time.Second)
	d = b.Check(r)
	fmt.Println("held:", len(d.Held), "probed:", len(d.Probed))
	// Output:
	// held: cannot be decoded 30s
	// held: 0 probed: 1
}

func BenchmarkCheckHeld(b *testing.B) {
	br := New[string](Config{Capacity: 10000})
	for i := range 10000 {
		it := Item{byte(i), byte(i >> 8), 1}
		r := Request{Session: "s", Scope: "m", Items: []Item{it}}
		br.Fail(br.Check(r).Ticket, Failure[string]{Culprits: r.Items})
	}
	b.RunParallel(func(pb *testing.PB) {
		r := request(1, 2, 3)
		r.Items[1] = Item{7, 7, 1}
		for pb.Next() {
			br.Check(r)
		}
	})
}
