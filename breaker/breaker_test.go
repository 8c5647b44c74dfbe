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

func blame(ns ...byte) Failure[string] { return Failure[string]{Items: items(ns...), Info: "why"} }

func setUp(c Config[string]) (*Breaker[string], *clock) {
	k := newClock()
	c.Now = k.now
	return New(c), k
}

// sent acquires a lease for a request that is to go.
func sent(t *testing.T, b *Breaker[string], r Request) *Lease[string] {
	t.Helper()
	lease, d := b.Acquire(r)
	if lease == nil {
		t.Fatalf("%.100s is rejected by %d entries, want it to go", fmt.Sprint(r.Items), len(d.Open))
	}
	return lease
}

// leave is a lease for a request that nothing rejects.
func leave(b *Breaker[string], r Request) *Lease[string] {
	lease, _ := b.Acquire(r)
	return lease
}

// rejected wants a request to be rejected, and counts it as answered elsewhere.
func rejected(t *testing.T, b *Breaker[string], r Request) Entry[string] {
	t.Helper()
	lease, d := b.Acquire(r)
	if lease != nil {
		t.Fatalf("%.100s goes, want it rejected", fmt.Sprint(r.Items))
	}
	return b.Reject(d.Open, true)[0]
}

// Only what was answered elsewhere counts as rejected.
func TestRejectedCount(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	sent(t, b, request(1)).Fail(blame(1))
	b.Reject(b.Peek(request(1)).Open, false) // the caller mends the request instead
	if e := rejected(t, b, request(1)); e.Rejected != 1 {
		t.Errorf("rejected %d times", e.Rejected)
	}
	gone := b.Peek(request(1)).Open
	b.Forget(func(Signature) bool { return true })
	if e := b.Reject(gone, true)[0]; e.Rejected != 1 {
		t.Errorf("a forgotten entry counts %d", e.Rejected)
	}
}

func TestRepeatIsRejected(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	e, ok := sent(t, b, request(1, 2)).Fail(blame(2))
	if !ok || e.State != Open || e.Remaining != 30*time.Second {
		t.Fatalf("recorded %v, %+v", ok, e)
	}
	k.advance(10 * time.Second)
	h := rejected(t, b, request(3, 2))
	if h.Rejected != 1 || h.Info != "why" || h.Signature != e.Signature || h.Remaining != 30*time.Second {
		t.Errorf("rejected by %+v", h)
	}
	sent(t, b, request(1, 3))
}

func TestScopeAndSession(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	sent(t, b, request(1)).Fail(blame(1))
	sent(t, b, Request{Session: "other", Scope: "m", Items: items(1)})
	sent(t, b, Request{Session: "s", Scope: "other", Items: items(1)})
	rejected(t, b, request(1))
}

func TestAllItemsMustBeCarried(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	sent(t, b, request(1, 2)).Fail(blame(1, 2))
	sent(t, b, request(1))
	sent(t, b, request(2, 3))
	rejected(t, b, request(2, 3, 1))
}

func TestWholeSetMustBeEqual(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	f := blame(1, 2, 3)
	f.Whole = true
	sent(t, b, request(1, 2, 3)).Fail(f)
	sent(t, b, request(1, 2))
	sent(t, b, request(1, 2, 3, 4))
	rejected(t, b, request(3, 1, 2, 2))
}

func TestCoolOffIsExtendedAndEnds(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	sent(t, b, request(1)).Fail(blame(1))
	for range 10 {
		k.advance(29 * time.Second)
		rejected(t, b, request(1))
	}
	k.advance(30 * time.Second)
	if d := sent(t, b, request(1)); len(d.Probed()) != 1 {
		t.Errorf("probed %v, want the entry", d.Probed())
	}
}

func TestMaxHoldEndsTheExtending(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{CoolOff: 30 * time.Second, MaxHold: 2 * time.Minute})
	sent(t, b, request(1)).Fail(blame(1))
	for range 5 {
		k.advance(20 * time.Second)
		rejected(t, b, request(1))
	}
	k.advance(20 * time.Second)
	if d := sent(t, b, request(1)); len(d.Probed()) != 1 {
		t.Errorf("probed %v, want the entry", d.Probed())
	}
}

func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	sent(t, b, request(1)).Fail(blame(1))
	k.advance(time.Minute)
	probe := sent(t, b, request(1))
	if e := rejected(t, b, request(1)); e.State != Probing {
		t.Errorf("state %s, want %s", e.State, Probing)
	}
	probe.Release()
	probe = sent(t, b, request(1))
	probe.Fail(blame(1))
	if e := rejected(t, b, request(1)); e.State != Open || e.Rejected != 1 {
		t.Errorf("rejected by %+v, want a new generation", e)
	}
	k.advance(time.Minute)
	if cleared := sent(t, b, request(1)).Succeed(); len(cleared) != 1 {
		t.Errorf("cleared %v, want the entry", cleared)
	}
	sent(t, b, request(1))
	if n := len(b.Entries()); n != 0 {
		t.Errorf("%d entries left", n)
	}
}

func TestNothingIsProbedWhileRejectedByAnother(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	sent(t, b, request(1)).Fail(blame(1))
	k.advance(25 * time.Second)
	sent(t, b, request(2)).Fail(blame(2))
	k.advance(10 * time.Second) // the first is half-open, the second live
	rejected(t, b, request(1, 2))
	if d := sent(t, b, request(1)); len(d.Probed()) != 1 {
		t.Error("the half-open entry was not left to be probed")
	}
}

func TestProbeOfSeveral(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	sent(t, b, request(1)).Fail(blame(1))
	sent(t, b, request(2)).Fail(blame(2))
	k.advance(time.Minute)
	d := sent(t, b, request(2, 1))
	if len(d.Probed()) != 2 || d.Probed()[0].Items[0] != item(2) {
		t.Fatalf("probed %v, want both in body order", d.Probed())
	}
	d.Fail(blame(2)) // says nothing of 1
	rejected(t, b, request(2))
	if d := sent(t, b, request(1)); len(d.Probed()) != 1 {
		t.Error("the other entry is not half-open")
	}
}

func TestOlderAnswersChangeNothing(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	early, twin := sent(t, b, request(1)), sent(t, b, request(1))
	first, _ := sent(t, b, request(1)).Fail(blame(1))
	if cleared := early.Succeed(); len(cleared) != 0 {
		t.Errorf("an older success cleared %v", cleared)
	}
	if left := b.Unverified("s", items(1)); len(left) != 1 {
		t.Error("an older success proved the culprit good")
	}
	k.advance(20 * time.Second)
	again, ok := twin.Fail(blame(1))
	if !ok || again.Signature != first.Signature || again.Remaining != 10*time.Second {
		t.Errorf("an older failure moved the entry: %+v", again)
	}
	rejected(t, b, request(1))
}

func TestLateProbeOfAForgottenEntry(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	sent(t, b, request(1)).Fail(blame(1))
	k.advance(time.Minute)
	probe := sent(t, b, request(1))
	b.Forget(func(Signature) bool { return true })
	sent(t, b, request(1)).Fail(blame(1))
	if cleared := probe.Succeed(); len(cleared) != 0 {
		t.Errorf("the probe of a forgotten entry cleared %v", cleared)
	}
	probe.Release()
	rejected(t, b, request(1))
}

func TestSuspectNeedsTwoInARow(t *testing.T) {
	t.Parallel()
	f := blame(1)
	f.Suspect = true
	fail := func(t *testing.T, b *Breaker[string]) bool {
		t.Helper()
		_, ok := sent(t, b, request(1)).Fail(f)
		return ok
	}
	cases := []struct {
		name    string
		between func(b *Breaker[string], k *clock)
		second  bool
	}{
		{"nothing between", func(*Breaker[string], *clock) {}, true},
		{"a success", func(b *Breaker[string], _ *clock) { leave(b, request(1, 2)).Succeed() }, false},
		{"a success without it", func(b *Breaker[string], _ *clock) { leave(b, request(2)).Succeed() }, true},
		{"a success elsewhere", func(b *Breaker[string], _ *clock) {
			leave(b, Request{Session: "s", Scope: "other", Items: items(1)}).Succeed()
		}, true},
		{"something that proves nothing", func(b *Breaker[string], _ *clock) { leave(b, request(1)).Release() }, true},
		{"just short of max-hold", func(_ *Breaker[string], k *clock) { k.advance(15*time.Minute - 1) }, true},
		{"max-hold", func(_ *Breaker[string], k *clock) { k.advance(15 * time.Minute) }, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, k := setUp(Config[string]{})
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
	b, _ := setUp(Config[string]{})
	f := blame(1)
	f.Suspect = true
	x, y := sent(t, b, request(1)), sent(t, b, request(1))
	x.Fail(f)
	if _, ok := y.Fail(f); ok {
		t.Error("two failures at the same time counted as two in a row")
	}
	if _, ok := sent(t, b, request(1)).Fail(f); !ok {
		t.Error("the next one did not count")
	}
}

func TestProbeOfASuspectFailsAtOnce(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	f := blame(1)
	f.Suspect = true
	sent(t, b, request(1)).Fail(f)
	sent(t, b, request(1)).Fail(f)
	k.advance(time.Minute)
	if _, ok := sent(t, b, request(1)).Fail(f); !ok {
		t.Error("the probe's failure did not renew the entry")
	}
	rejected(t, b, request(1))
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{Capacity: 2})
	for n := byte(1); n <= 2; n++ {
		sent(t, b, request(n)).Fail(blame(n))
	}
	rejected(t, b, request(1)) // used: the other is the oldest now
	sent(t, b, request(3)).Fail(blame(3))
	sent(t, b, request(2))
	rejected(t, b, request(1))
	rejected(t, b, request(3))
	b.store.View("s", func(s *Session[string]) {
		if n := len(s.entries.leads); n != 2 {
			t.Errorf("%d places in the index for 2 entries", n)
		}
	})
}

// Failures that are put down to very many items do not take the memory of as
// many failures.
func TestManyItems(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{Capacity: 4})
	var last Request
	for n := range 10 {
		last = Request{Session: "s", Scope: "m"}
		for i := range minItems / 2 {
			last.Items = append(last.Items, Item{byte(n), byte(i), byte(i >> 8)})
		}
		leave(b, last).Fail(Failure[string]{Items: last.Items, Whole: true})
	}
	if n := len(b.Entries()); n != 2 {
		t.Errorf("%d entries of %d culprits each, want 2", n, minItems/2)
	}
	rejected(t, b, last)
	alone := Request{Session: "s", Scope: "m", Items: append(slices.Clone(last.Items), make([]Item, minItems)...)}
	leave(b, request(1)).Fail(blame(1))
	for i := range alone.Items {
		alone.Items[i] = Item{200, byte(i), byte(i >> 8), byte(i >> 16)}
	}
	leave(b, alone).Fail(Failure[string]{Items: alone.Items})
	rejected(t, b, alone) // the newest stays, whatever it costs
	sent(t, b, last)
	b.Forget(func(Signature) bool { return true })
	if n := b.store.(*Memory[string]).total.items; n != 0 {
		t.Errorf("without an entry, %d items are counted", n)
	}
}

func TestUnverified(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	sent(t, b, request(1, 2)).Succeed()
	if got := b.Unverified("s", items(3, 1, 4, 3, 2)); !slices.Equal(got, items(3, 4)) {
		t.Errorf("unproven %v", got)
	}
	if got := b.Unverified("other", items(1)); len(got) != 1 {
		t.Error("good in one session is good in another")
	}
	sent(t, b, request(1)).Fail(blame(1))
	if got := b.Unverified("s", items(1, 2)); !slices.Equal(got, items(1)) {
		t.Errorf("unproven %v after one was blamed", got)
	}
}

func TestEntriesAreListedInTheirOrder(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	const n = 2*atOnce + 1
	for i := range n {
		r := Request{Session: "s", Scope: "m", Items: []Item{{byte(i), byte(i >> 8), 1}}}
		sent(t, b, r).Fail(Failure[string]{Items: r.Items})
	}
	list := b.Entries()
	if len(list) != n {
		t.Fatalf("%d of %d", len(list), n)
	}
	for i, e := range list {
		if it := e.Items[0]; int(it[0])|int(it[1])<<8 != i {
			t.Fatalf("entry %d is %v", i, it[:2])
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	if got := b.Count(); len(got) != 0 {
		t.Errorf("counts %v of nothing", got)
	}
	sent(t, b, request(1)).Fail(blame(1))
	sent(t, b, request(2)).Fail(blame(2))
	k.advance(time.Minute)
	sent(t, b, request(3)).Fail(blame(3))
	sent(t, b, request(1))
	if got, want := b.Count(), (map[State]int{Open: 1, Probing: 1, HalfOpen: 1}); !maps.Equal(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
}

// BenchmarkList is what somebody who looks at a full memory costs.
func BenchmarkList(b *testing.B) {
	br := New(Config[string]{Capacity: 10000})
	for i := range 10000 {
		r := Request{Session: "s", Scope: "m", Items: []Item{{byte(i), byte(i >> 8), 1}}}
		leave(br, r).Fail(Failure[string]{Items: r.Items})
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
	b, _ := setUp(Config[string]{})
	e, _ := sent(t, b, request(1)).Fail(blame(1))
	sent(t, b, request(2)).Fail(blame(2))
	if gone := b.Forget(func(s Signature) bool { return s == e.Signature }); len(gone) != 1 || gone[0].Signature != e.Signature {
		t.Errorf("forgot %v", gone)
	}
	sent(t, b, request(1))
	rejected(t, b, request(2))
}

func TestFailureOfNothing(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	if _, ok := sent(t, b, request()).Fail(Failure[string]{}); ok {
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

// A request goes unseen only while nothing is remembered that might reject it.
func TestAcquireUnseen(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{Capacity: 2})
	departs := func(want map[string]bool) {
		t.Helper()
		for session, may := range want {
			if ok := b.AcquireUnseen(session) != nil; ok != may {
				t.Errorf("session %q departs: %v", session, ok)
			}
		}
	}
	departs(map[string]bool{"": true, "s": true, "other": true})
	sent(t, b, request(1)).Fail(blame(1))
	sent(t, b, request(2)).Fail(blame(2))
	departs(map[string]bool{"": false, "s": false, "other": true})
	k.advance(time.Hour) // half-open, but remembered
	departs(map[string]bool{"": false, "s": false, "other": true})
	sent(t, b, request(1)).Succeed()
	departs(map[string]bool{"": false, "s": false})
	other := Request{Session: "other", Scope: "m", Items: items(9)}
	sent(t, b, other).Fail(blame(9))
	other.Items = items(8)
	sent(t, b, other).Fail(blame(8)) // no room for item 2 any more
	departs(map[string]bool{"": false, "s": true, "other": false})
	b.Forget(func(Signature) bool { return true })
	departs(map[string]bool{"": true, "other": true})
}

// What went unseen is older than what was recorded while it was on its way, and
// newer than what was recorded before.
func TestUnseenLeases(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	first, second := b.AcquireUnseen(""), b.AcquireUnseen("s")
	first.Bind(request(1, 2))
	second.Bind(request(1))
	if e, ok := first.Fail(blame(1)); !ok || e.Session != "s" {
		t.Errorf("%+v, %v", e, ok)
	}
	if cleared := second.Succeed(); len(cleared) != 0 {
		t.Errorf("cleared %v, which was recorded later", cleared)
	}
	rejected(t, b, request(1))
}

// What was forgotten is tried again by the next request, whatever comes of those
// that were on their way.
func TestForgottenWhileProbed(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	sent(t, b, request(1)).Fail(blame(1))
	k.advance(time.Hour)
	probe := sent(t, b, request(1))
	b.Forget(func(Signature) bool { return true })
	if e, ok := probe.Fail(blame(1)); ok {
		t.Errorf("the probe brought it back: %+v", e)
	}
	again := sent(t, b, request(1))
	if _, ok := again.Fail(blame(1)); !ok {
		t.Error("the next request is not remembered")
	}
	rejected(t, b, request(1))
}
