// Package breaker is a circuit breaker for single inputs: it remembers failures that
// repeating cannot mend, and says of each new request whether it would only repeat
// one of them.
//
// A failure is attributed to some of the items that a request carried. While it is
// remembered, its entry is open: requests of the same session and scope that carry
// all those items are to be rejected. Each rejected request extends the cool-off;
// when it has run out, or the entry has been open for too long in all, it is
// half-open, and one request is let through as a probe.
//
// Sessions, scopes and items are opaque here: the package knows no HTTP, no JSON and
// no image, and it reads no clock but the one it is given.
package breaker

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"
)

// Item is one thing that a request carries and that a failure can be attributed to.
type Item = [32]byte

// Config sets up a Breaker; the zero value is ready to use.
type Config[T any] struct {
	// CoolOff is how long an entry is open after it was recorded or after the
	// last request that it rejected. Zero means 30 seconds.
	CoolOff time.Duration
	// MaxHold is how long an entry is open at most before a probe, however often
	// its cool-off was extended, and how long the first of two suspected failures
	// is remembered. Zero means 15 minutes.
	MaxHold time.Duration
	// Capacity is how many failures are remembered, and fewer if they are
	// attributed to more than 64 items each; the least recently used is forgotten
	// first. Zero means 4096. It is for the store that is made here.
	Capacity int
	// Store keeps what is remembered. Nil means a Memory of that capacity.
	Store Store[T]
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Request is what the breaker needs to know of one request.
type Request struct {
	Session string // whose conversation it belongs to
	Scope   string // where it goes: failures of one scope say nothing of another
	Items   []Item // what it carries, in its own order; repetitions are fine
}

// Failure is one upstream failure as it was judged.
type Failure[T any] struct {
	Items   []Item // what it is attributed to, at least one, each once
	Whole   bool   // it is about the whole set: reject only a request with exactly these items
	Suspect bool   // only the second one in a row is remembered
	Info    T      // whatever the caller wants back with the entry
}

// Breaker remembers failures. It is safe for parallel use. Make one with New.
type Breaker[T any] struct {
	windows Windows
	store   Store[T]
	now     func() time.Time
	seq     atomic.Uint64
}

// New returns a Breaker. What its store has kept counts from the start.
func New[T any](c Config[T]) *Breaker[T] {
	b := &Breaker[T]{
		windows: Windows{CoolOff: cmp.Or(c.CoolOff, 30*time.Second), MaxHold: cmp.Or(c.MaxHold, 15*time.Minute)},
		store:   c.Store, now: c.Now,
	}
	if b.store == nil {
		b.store = NewMemory[T](cmp.Or(c.Capacity, 4096))
	}
	if b.now == nil {
		b.now = time.Now
	}
	return b
}

// instant is now. It must be taken while the session is nobody else's.
func (b *Breaker[T]) instant() Instant { return Instant{b.now(), b.seq.Add(1)} }

// Decision is what the breaker says of a request. Both lists are in the order in
// which the request carries the entries' first items.
type Decision[T any] struct {
	// Open are the entries that reject the request. None: it may go.
	Open []Entry[T]
	// HalfOpen are the entries that the request would probe. There are none while
	// it is rejected.
	HalfOpen []Entry[T]
}

// Peek says what Acquire would, and changes nothing.
func (b *Breaker[T]) Peek(r Request) (d Decision[T]) {
	b.store.View(r.Session, func(s *Session[T]) {
		now := b.now()
		rejecting, halfOpen := s.decide(now, r)
		d = Decision[T]{views(rejecting, r.Session, now), views(halfOpen, r.Session, now)}
	})
	return d
}

// Acquire asks for leave to send a request. Without leave the lease is nil, and the
// decision says why. Ask once, when it is clear what goes: what the request probes
// is closed to all others until the lease has ended.
func (b *Breaker[T]) Acquire(r Request) (*Lease[T], Decision[T]) {
	d := b.Peek(r)
	lease := &Lease[T]{breaker: b, request: r, bound: true}
	if len(d.Open) == 0 && len(d.HalfOpen) == 0 { // nothing to mark, as with most requests
		lease.seq = b.seq.Add(1)
		return lease, d
	}
	b.store.Update(r.Session, func(s *Session[T]) {
		at := b.instant()
		rejecting, probed := s.acquire(at, r)
		d = Decision[T]{views(rejecting, r.Session, at.Time), views(probed, r.Session, at.Time)}
		lease.seq, lease.probed = at.Seq, d.HalfOpen
	})
	if len(d.Open) > 0 {
		return nil, d
	}
	return lease, d
}

// AcquireUnseen asks for leave to send a request before it is known what it carries.
// The lease is nil while a failure is remembered that might reject it: one of its
// session, or, if that is empty, any.
func (b *Breaker[T]) AcquireUnseen(session string) *Lease[T] {
	failing := b.store.Len() > 0
	if failing && session != "" {
		b.store.View(session, func(s *Session[T]) { failing = s.entries.len() > 0 })
	}
	if failing {
		return nil
	}
	return &Lease[T]{breaker: b, seq: b.seq.Add(1)}
}

// Reject takes note that these entries, which Peek or Acquire gave, have kept a
// request from going as it was: their cool-offs are extended. If it was answered in
// the upstream's place, count is true. The entries come back as they are then.
func (b *Breaker[T]) Reject(open []Entry[T], count bool) []Entry[T] {
	out := slices.Clone(open)
	for i, o := range open {
		b.store.Update(o.Session, func(s *Session[T]) {
			now := b.now()
			if e, ok := s.reject(now, b.windows, key{o.Scope, o.Signature}, count); ok {
				out[i] = e.view(o.Session, now)
			}
		})
	}
	return out
}

// Unverified returns those of the items, each once and in their order, that have
// not been seen to go well in the session.
func (b *Breaker[T]) Unverified(session string, items []Item) (out []Item) {
	b.store.View(session, func(s *Session[T]) {
		seen := make(map[Item]bool, len(items))
		for _, it := range items {
			if !seen[it] && !s.good.Contains(it) {
				out = append(out, it)
			}
			seen[it] = true
		}
	})
	return out
}

// Entries lists what is remembered, the oldest first.
func (b *Breaker[T]) Entries() []Entry[T] {
	type listed struct {
		seq uint64
		at  int
	}
	var order []listed
	var all []Entry[T]
	b.each(func(session string, e *entry[T], now time.Time) {
		order = append(order, listed{e.seq, len(all)})
		all = append(all, e.view(session, now))
	})
	slices.SortFunc(order, func(x, y listed) int { return cmp.Compare(x.seq, y.seq) })
	out := make([]Entry[T], len(all))
	for i, l := range order {
		out[i] = all[l.at]
	}
	return out
}

// Count tells how many entries are in each state.
func (b *Breaker[T]) Count() map[State]int {
	count := map[State]int{}
	b.each(func(_ string, e *entry[T], now time.Time) { count[e.state(now)]++ })
	return count
}

// atOnce is how many entries are looked at in one View: to list a full memory must
// not keep requests waiting.
const atOnce = 256

// each shows the entries as they are. Those that change meanwhile are seen as they
// were or as they have become.
func (b *Breaker[T]) each(f func(session string, e *entry[T], now time.Time)) {
	for _, name := range b.store.Failing() {
		var all []*entry[T]
		b.store.View(name, func(s *Session[T]) { all = s.entries.values() })
		for some := range slices.Chunk(all, atOnce) {
			b.store.View(name, func(*Session[T]) {
				now := b.now()
				for _, e := range some {
					f(name, e, now)
				}
			})
		}
	}
}

// Forget drops the entries that match says yes to, and returns them. Requests that
// are on their way, probes among them, do not bring them back.
func (b *Breaker[T]) Forget(match func(Signature) bool) []Entry[T] {
	var out []Entry[T]
	for _, name := range b.store.Failing() {
		var gone []Entry[T]
		b.store.Update(name, func(s *Session[T]) {
			at := b.instant()
			gone = views(s.forget(at, match), name, at.Time)
		})
		out = append(out, gone...)
	}
	return out
}

func views[T any](all []*entry[T], session string, now time.Time) []Entry[T] {
	if len(all) == 0 {
		return nil
	}
	out := make([]Entry[T], len(all))
	for i, e := range all {
		out[i] = e.view(session, now)
	}
	return out
}
