package breaker

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"
)

// clock is a clock that tests move by hand.
type clock struct{ t time.Time }

func newClock() *clock { return &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

func item(n byte) Item { return Item{n} }

func items(ns ...byte) []Item {
	var out []Item
	for _, n := range ns {
		out = append(out, item(n))
	}
	return out
}

func request(ns ...byte) Request { return Request{Session: "s", Scope: "m", Items: items(ns...)} }

func blame(ns ...byte) Failure[string] { return Failure[string]{Culprits: items(ns...), Info: "why"} }

func setUp(c Config) (*Breaker[string], *clock) {
	k := newClock()
	c.Now = k.now
	return New[string](c), k
}

// sent checks a request that is to go, and returns its decision.
func sent(t *testing.T, b *Breaker[string], r Request) Decision[string] {
	t.Helper()
	d := b.Check(r)
	if len(d.Held) > 0 {
		t.Fatalf("%v is held by %v, want it to go", r.Items, d.Held)
	}
	return d
}

func held(t *testing.T, b *Breaker[string], r Request) Entry[string] {
	t.Helper()
	d := b.Check(r)
	if len(d.Held) == 0 {
		t.Fatalf("%v goes, want it held", r.Items)
	}
	return b.Hold(d.Held)[0]
}

// Only what was kept from going counts as held.
func TestHeldCount(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	b.Check(request(1)) // the caller mends the request instead
	if e := held(t, b, request(1)); e.Held != 1 {
		t.Errorf("held %d times", e.Held)
	}
	gone := b.Check(request(1)).Held
	b.Forget(func(Signature) bool { return true })
	if e := b.Hold(gone)[0]; e.Held != 1 {
		t.Errorf("a forgotten entry counts %d", e.Held)
	}
}

func TestRepeatIsHeld(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	e, ok := b.Fail(sent(t, b, request(1, 2)).Ticket, blame(2))
	if !ok || e.State != Live || e.Remaining != 30*time.Second {
		t.Fatalf("recorded %v, %+v", ok, e)
	}
	k.advance(10 * time.Second)
	h := held(t, b, request(3, 2))
	if h.Held != 1 || h.Info != "why" || h.Signature != e.Signature || h.Remaining != 30*time.Second {
		t.Errorf("held by %+v", h)
	}
	sent(t, b, request(1, 3))
}

func TestScopeAndSession(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	sent(t, b, Request{Session: "other", Scope: "m", Items: items(1)})
	sent(t, b, Request{Session: "s", Scope: "other", Items: items(1)})
	held(t, b, request(1))
}

func TestAllCulpritsMustBeCarried(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	b.Fail(sent(t, b, request(1, 2)).Ticket, blame(1, 2))
	sent(t, b, request(1))
	sent(t, b, request(2, 3))
	held(t, b, request(2, 3, 1))
}

func TestWholeSetMustBeEqual(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	f := blame(1, 2, 3)
	f.Whole = true
	b.Fail(sent(t, b, request(1, 2, 3)).Ticket, f)
	sent(t, b, request(1, 2))
	sent(t, b, request(1, 2, 3, 4))
	held(t, b, request(3, 1, 2, 2))
}

func TestCoolOffSlidesAndEnds(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	for range 10 {
		k.advance(29 * time.Second)
		held(t, b, request(1))
	}
	k.advance(30 * time.Second)
	if d := sent(t, b, request(1)); len(d.Probed) != 1 {
		t.Errorf("probed %v, want the entry", d.Probed)
	}
}

func TestMaxHoldEndsTheSliding(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{CoolOff: 30 * time.Second, MaxHold: 2 * time.Minute})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	for range 5 {
		k.advance(20 * time.Second)
		held(t, b, request(1))
	}
	k.advance(20 * time.Second)
	if d := sent(t, b, request(1)); len(d.Probed) != 1 {
		t.Errorf("probed %v, want the entry", d.Probed)
	}
}

func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	k.advance(time.Minute)
	probe := sent(t, b, request(1))
	if e := held(t, b, request(1)); e.State != Probing {
		t.Errorf("state %s, want %s", e.State, Probing)
	}
	b.Abandon(probe.Ticket)
	probe = sent(t, b, request(1))
	b.Fail(probe.Ticket, blame(1))
	if e := held(t, b, request(1)); e.State != Live || e.Held != 1 {
		t.Errorf("held by %+v, want a new generation", e)
	}
	k.advance(time.Minute)
	if cleared := b.Succeed(sent(t, b, request(1)).Ticket); len(cleared) != 1 {
		t.Errorf("cleared %v, want the entry", cleared)
	}
	sent(t, b, request(1))
	if n := len(b.Entries()); n != 0 {
		t.Errorf("%d entries left", n)
	}
}

func TestNothingIsProbedWhileHeldByAnother(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	k.advance(25 * time.Second)
	b.Fail(sent(t, b, request(2)).Ticket, blame(2))
	k.advance(10 * time.Second) // the first is half-open, the second live
	held(t, b, request(1, 2))
	if d := sent(t, b, request(1)); len(d.Probed) != 1 {
		t.Error("the half-open entry was not left to be probed")
	}
}

func TestProbeOfSeveral(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	b.Fail(sent(t, b, request(2)).Ticket, blame(2))
	k.advance(time.Minute)
	d := sent(t, b, request(2, 1))
	if len(d.Probed) != 2 || d.Probed[0].Culprits[0] != item(2) {
		t.Fatalf("probed %v, want both in body order", d.Probed)
	}
	b.Fail(d.Ticket, blame(2)) // says nothing of 1
	held(t, b, request(2))
	if d := sent(t, b, request(1)); len(d.Probed) != 1 {
		t.Error("the other entry is not half-open")
	}
}

func TestOlderAnswersChangeNothing(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	early, twin := sent(t, b, request(1)), sent(t, b, request(1))
	first, _ := b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	if cleared := b.Succeed(early.Ticket); len(cleared) != 0 {
		t.Errorf("an older success cleared %v", cleared)
	}
	if left := b.Unproven("s", items(1)); len(left) != 1 {
		t.Error("an older success proved the culprit good")
	}
	k.advance(20 * time.Second)
	again, ok := b.Fail(twin.Ticket, blame(1))
	if !ok || again.Signature != first.Signature || again.Remaining != 10*time.Second {
		t.Errorf("an older failure moved the entry: %+v", again)
	}
	held(t, b, request(1))
}

func TestLateProbeOfAForgottenEntry(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	k.advance(time.Minute)
	probe := sent(t, b, request(1))
	b.Forget(func(Signature) bool { return true })
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	if cleared := b.Succeed(probe.Ticket); len(cleared) != 0 {
		t.Errorf("the probe of a forgotten entry cleared %v", cleared)
	}
	b.Abandon(probe.Ticket)
	held(t, b, request(1))
}

func TestSuspectNeedsTwoInARow(t *testing.T) {
	t.Parallel()
	f := blame(1)
	f.Suspect = true
	fail := func(t *testing.T, b *Breaker[string]) bool {
		t.Helper()
		_, ok := b.Fail(sent(t, b, request(1)).Ticket, f)
		return ok
	}
	cases := []struct {
		name    string
		between func(b *Breaker[string], k *clock)
		second  bool
	}{
		{"nothing between", func(*Breaker[string], *clock) {}, true},
		{"a success", func(b *Breaker[string], _ *clock) { b.Succeed(b.Check(request(1, 2)).Ticket) }, false},
		{"a success without it", func(b *Breaker[string], _ *clock) { b.Succeed(b.Check(request(2)).Ticket) }, true},
		{"a success elsewhere", func(b *Breaker[string], _ *clock) {
			b.Succeed(b.Check(Request{Session: "s", Scope: "other", Items: items(1)}).Ticket)
		}, true},
		{"something that proves nothing", func(b *Breaker[string], _ *clock) { b.Abandon(b.Check(request(1)).Ticket) }, true},
		{"just short of max-hold", func(_ *Breaker[string], k *clock) { k.advance(15*time.Minute - 1) }, true},
		{"max-hold", func(_ *Breaker[string], k *clock) { k.advance(15 * time.Minute) }, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, k := setUp(Config{})
			if fail(t, b) {
				t.Fatal("recorded at once")
			}
			sent(t, b, request(1))
			c.between(b, k)
			if got := fail(t, b); got != c.second {
				t.Errorf("recorded %v, want %v", got, c.second)
			}
		})
	}
}

func TestSuspectsSideBySideAreOne(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	f := blame(1)
	f.Suspect = true
	x, y := sent(t, b, request(1)), sent(t, b, request(1))
	b.Fail(x.Ticket, f)
	if _, ok := b.Fail(y.Ticket, f); ok {
		t.Error("two failures at the same time counted as two in a row")
	}
	if _, ok := b.Fail(sent(t, b, request(1)).Ticket, f); !ok {
		t.Error("the next one did not count")
	}
}

func TestProbeOfASuspectFailsAtOnce(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	f := blame(1)
	f.Suspect = true
	b.Fail(sent(t, b, request(1)).Ticket, f)
	b.Fail(sent(t, b, request(1)).Ticket, f)
	k.advance(time.Minute)
	if _, ok := b.Fail(sent(t, b, request(1)).Ticket, f); !ok {
		t.Error("the probe's failure did not renew the entry")
	}
	held(t, b, request(1))
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{Capacity: 2})
	for n := byte(1); n <= 2; n++ {
		b.Fail(sent(t, b, request(n)).Ticket, blame(n))
	}
	held(t, b, request(1)) // used: the other is the oldest now
	b.Fail(sent(t, b, request(3)).Ticket, blame(3))
	sent(t, b, request(2))
	held(t, b, request(1))
	held(t, b, request(3))
	if n := len(b.entries.near); n != 2 {
		t.Errorf("%d shelf places for 2 entries", n)
	}
}

// Failures that are put down to very many items do not take the memory of as
// many failures.
func TestManyCulprits(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{Capacity: 4})
	var last Request
	for n := range 10 {
		last = Request{Session: "s", Scope: "m"}
		for i := range leastCulprits / 2 {
			last.Items = append(last.Items, Item{byte(n), byte(i), byte(i >> 8)})
		}
		b.Fail(b.Check(last).Ticket, Failure[string]{Culprits: last.Items, Whole: true})
	}
	if n := len(b.Entries()); n != 2 {
		t.Errorf("%d entries of %d culprits each, want 2", n, leastCulprits/2)
	}
	held(t, b, last)
	alone := Request{Session: "s", Scope: "m", Items: append(slices.Clone(last.Items), make([]Item, leastCulprits)...)}
	b.Fail(b.Check(request(1)).Ticket, blame(1))
	for i := range alone.Items {
		alone.Items[i] = Item{200, byte(i), byte(i >> 8), byte(i >> 16)}
	}
	b.Fail(b.Check(alone).Ticket, Failure[string]{Culprits: alone.Items})
	held(t, b, alone) // the newest stays, whatever it costs
	sent(t, b, last)
	b.Forget(func(Signature) bool { return true })
	if b.entries.held != 0 {
		t.Errorf("without an entry, %d culprits are counted", b.entries.held)
	}
}

func TestUnproven(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	b.Succeed(sent(t, b, request(1, 2)).Ticket)
	if got := b.Unproven("s", items(3, 1, 4, 3, 2)); !slices.Equal(got, items(3, 4)) {
		t.Errorf("unproven %v", got)
	}
	if got := b.Unproven("other", items(1)); len(got) != 1 {
		t.Error("good in one session is good in another")
	}
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	if got := b.Unproven("s", items(1, 2)); !slices.Equal(got, items(1)) {
		t.Errorf("unproven %v after one was blamed", got)
	}
}

func TestEntriesAreListedInTheirOrder(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	const n = 2*atOnce + 1
	for i := range n {
		r := Request{Session: "s", Scope: "m", Items: []Item{{byte(i), byte(i >> 8), 1}}}
		b.Fail(sent(t, b, r).Ticket, Failure[string]{Culprits: r.Items})
	}
	list := b.Entries()
	if len(list) != n {
		t.Fatalf("%d of %d", len(list), n)
	}
	for i, e := range list {
		if it := e.Culprits[0]; int(it[0])|int(it[1])<<8 != i {
			t.Fatalf("entry %d is %v", i, it[:2])
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	if got := b.Count(); len(got) != 0 {
		t.Errorf("counts %v of nothing", got)
	}
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	b.Fail(sent(t, b, request(2)).Ticket, blame(2))
	k.advance(time.Minute)
	b.Fail(sent(t, b, request(3)).Ticket, blame(3))
	sent(t, b, request(1))
	if got, want := b.Count(), (map[State]int{Live: 1, Probing: 1, HalfOpen: 1}); !maps.Equal(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
}

// BenchmarkList is what somebody who looks at a full memory costs.
func BenchmarkList(b *testing.B) {
	br := New[string](Config{Capacity: 10000})
	for i := range 10000 {
		r := Request{Session: "s", Scope: "m", Items: []Item{{byte(i), byte(i >> 8), 1}}}
		br.Fail(br.Check(r).Ticket, Failure[string]{Culprits: r.Items})
	}
	b.Run("entries", func(b *testing.B) {
		for b.Loop() {
			br.Entries()
		}
	})
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			br.Count()
		}
	})
}

func TestForget(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	e, _ := b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	b.Fail(sent(t, b, request(2)).Ticket, blame(2))
	if gone := b.Forget(func(s Signature) bool { return s == e.Signature }); len(gone) != 1 || gone[0].Signature != e.Signature {
		t.Errorf("forgot %v", gone)
	}
	sent(t, b, request(1))
	held(t, b, request(2))
}

func TestFailureWithoutCulprits(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	if _, ok := b.Fail(sent(t, b, request()).Ticket, Failure[string]{}); ok {
		t.Error("recorded")
	}
}

func TestSign(t *testing.T) {
	t.Parallel()
	if Sign("a", items(1, 2)) != Sign("a", items(2, 1)) {
		t.Error("the order of culprits counts")
	}
	seen := map[Signature]string{}
	for _, scope := range []string{"", "a", "b"} {
		for _, c := range [][]Item{items(1), items(2), items(1, 2)} {
			s := Sign(scope, c)
			name := fmt.Sprint(scope, c)
			if other, twice := seen[s]; twice {
				t.Errorf("%s and %s have one signature", name, other)
			}
			seen[s] = name
		}
	}
	if s := Sign("a", items(1)).String(); len(s) != 16 {
		t.Errorf("shown as %q", s)
	}
}

// A request goes unseen only while nothing is remembered that might hold it.
func TestDepart(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{Capacity: 2})
	departs := func(want map[string]bool) {
		t.Helper()
		for session, may := range want {
			if _, ok := b.Depart(session); ok != may {
				t.Errorf("session %q departs: %v", session, ok)
			}
		}
	}
	departs(map[string]bool{"": true, "s": true, "other": true})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	b.Fail(sent(t, b, request(2)).Ticket, blame(2))
	departs(map[string]bool{"": false, "s": false, "other": true})
	k.advance(time.Hour) // half-open, but remembered
	departs(map[string]bool{"": false, "s": false, "other": true})
	b.Succeed(sent(t, b, request(1)).Ticket)
	departs(map[string]bool{"": false, "s": false})
	other := Request{Session: "other", Scope: "m", Items: items(9)}
	b.Fail(sent(t, b, other).Ticket, blame(9))
	other.Items = items(8)
	b.Fail(sent(t, b, other).Ticket, blame(8)) // no room for item 2 any more
	departs(map[string]bool{"": false, "s": true, "other": false})
	b.Forget(func(Signature) bool { return true })
	departs(map[string]bool{"": true, "other": true})
}

// What departed is older than what was recorded while it was on its way, and
// newer than what was recorded before.
func TestDepartedRequests(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config{})
	first, _ := b.Depart("")
	second, _ := b.Depart("s")
	if e, ok := b.Fail(first.Carrying(request(1, 2)), blame(1)); !ok || e.Session != "s" {
		t.Errorf("%+v, %v", e, ok)
	}
	if cleared := b.Succeed(second.Carrying(request(1))); len(cleared) != 0 {
		t.Errorf("cleared %v, which was recorded later", cleared)
	}
	held(t, b, request(1))
}

// What was forgotten is tried again by the next request, whatever comes of those
// that were on their way.
func TestForgottenWhileProbed(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config{})
	b.Fail(sent(t, b, request(1)).Ticket, blame(1))
	k.advance(time.Hour)
	probe := sent(t, b, request(1))
	b.Forget(func(Signature) bool { return true })
	if e, ok := b.Fail(probe.Ticket, blame(1)); ok {
		t.Errorf("the probe brought it back: %+v", e)
	}
	again := sent(t, b, request(1))
	if _, ok := b.Fail(again.Ticket, blame(1)); !ok {
		t.Error("the next request is not remembered")
	}
	held(t, b, request(1))
}
