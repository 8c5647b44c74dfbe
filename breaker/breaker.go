// Package breaker remembers failures that repeating cannot mend, and says of
// each new request whether it would only repeat one of them.
//
// A failure is blamed on some of the items that a request carried, its
// culprits. While the failure is remembered, requests of the same session and
// scope that carry all its culprits are held. Each held request lengthens the
// cool-off; when it has run out, or the failure has been held for too long in
// all, one request is let through as a probe.
//
// Sessions, scopes and items are opaque here: the package knows no HTTP, no
// JSON and no image, and it reads no clock but the one it is given.
package breaker

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Item is one thing that a request carries and that can be to blame.
type Item = [32]byte

// Config sets up a Breaker; the zero value is ready to use.
type Config struct {
	// CoolOff is how long a failure holds after it was recorded or after the
	// last request that it held. Zero means 30 seconds.
	CoolOff time.Duration
	// MaxHold is how long a failure holds at most before a probe, however
	// often it was slid, and how long the first of two suspected failures is
	// remembered. Zero means 15 minutes.
	MaxHold time.Duration
	// Capacity is how many failures are remembered, and fewer if they are put
	// down to more than 64 items each; the least recently used is forgotten
	// first. Zero means 4096.
	Capacity int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// goodPerEntry is how many known-good items are remembered for each failure
// that may be: an agent's history holds a hundred images or so, and few of
// them ever fail.
const goodPerEntry = 16

// Request is what the breaker needs to know of one request.
type Request struct {
	Session string // whose conversation it belongs to
	Scope   string // where it goes: failures of one scope say nothing of another
	Items   []Item // what it carries, in its own order; repetitions are fine
}

// Failure is one upstream failure as it was judged.
type Failure[T any] struct {
	Culprits []Item // what it is blamed on, at least one, each once
	Whole    bool   // it is about the whole set: hold only a request with exactly these items
	Suspect  bool   // only the second one in a row is remembered
	Info     T      // whatever the caller wants back with the entry
}

// Breaker remembers failures. It is safe for parallel use. Make one with New.
type Breaker[T any] struct {
	coolOff, maxHold time.Duration
	now              func() time.Time

	mu      sync.Mutex
	clock   uint64 // counts tickets and recordings: what happened before what
	entries *shelf[*entry[T]]
	rows    *shelf[row]
	good    *lru.Cache[goodKey, struct{}]
	forgot  *lru.Cache[key, uint64] // when an entry was forgotten on demand
}

// goodKey names an item that went well in a session.
type goodKey struct {
	session string
	item    Item
}

// row is the first of two suspected failures in a row.
type row struct {
	key      key
	culprits []Item
	at       time.Time
	clock    uint64
}

// New returns a Breaker without any memory.
func New[T any](c Config) *Breaker[T] {
	if c.CoolOff == 0 {
		c.CoolOff = 30 * time.Second
	}
	if c.MaxHold == 0 {
		c.MaxHold = 15 * time.Minute
	}
	if c.Capacity == 0 {
		c.Capacity = 4096
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	good, err := lru.New[goodKey, struct{}](goodPerEntry * c.Capacity)
	if err != nil {
		panic("breaker: capacity must be positive") // a caller's mistake, like a negative make
	}
	forgot, _ := lru.New[key, uint64](c.Capacity) // fails as the one above
	return &Breaker[T]{
		coolOff: c.CoolOff, maxHold: c.MaxHold, now: c.Now,
		entries: newShelf(c.Capacity, func(e *entry[T]) []Item { return e.Culprits }),
		rows:    newShelf(c.Capacity, func(r row) []Item { return r.culprits }),
		good:    good,
		forgot:  forgot,
	}
}

// Decision is what Check says of a request.
type Decision[T any] struct {
	// Held are the live entries that hold the request, in the order in which
	// it carries their first culprits. Empty: the request may go.
	Held []Entry[T]
	// Probed are the entries that the request probes, in the same order.
	// When there are any, no other request that carries their culprits goes
	// until the ticket is given back.
	Probed []Entry[T]
	// Ticket must be given back for a request that went: to Fail, Succeed or
	// Abandon, whichever comes first. Giving it back again does nothing more
	// than it says.
	Ticket Ticket
}

// Ticket stands for a request on its way.
type Ticket struct {
	request Request
	clock   uint64
	probed  []key
}

// Check decides about a request and slides the entries that hold it.
func (b *Breaker[T]) Check(r Request) Decision[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock++
	d := Decision[T]{Ticket: Ticket{request: r, clock: b.clock}}
	var open []*entry[T]
	now := b.now()
	for _, e := range b.carried(r) {
		switch {
		case e.live(now), e.probe != 0:
			e.slide(now, b.coolOff)
			b.entries.touch(e.key)
			d.Held = append(d.Held, e.view(now))
		default:
			open = append(open, e)
		}
	}
	if len(d.Held) > 0 {
		return d // what else has run out waits: this request goes nowhere
	}
	for _, e := range open {
		e.probe = d.Ticket.clock
		d.Ticket.probed = append(d.Ticket.probed, e.key)
		d.Probed = append(d.Probed, e.view(now))
	}
	return d
}

// Depart gives a ticket to a request that goes before it is known what it
// carries. It gives none, and returns false, while a failure is remembered that
// might hold it: one of its session, or, if that is empty, any.
func (b *Breaker[T]) Depart(session string) (Ticket, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if session == "" && b.entries.len() > 0 || b.entries.inSession(session) > 0 {
		return Ticket{}, false
	}
	b.clock++
	return Ticket{clock: b.clock}, true
}

// Carrying is the ticket from Depart, for a request that turned out to be r.
func (t Ticket) Carrying(r Request) Ticket {
	t.request = r
	return t
}

// Hold counts a request that its caller has kept from going because of these
// entries, which Check gave for it, and returns them with the new counts.
func (b *Breaker[T]) Hold(entries []Entry[T]) []Entry[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := slices.Clone(entries)
	for i, v := range entries {
		if e, ok := b.entries.get(key{v.Session, v.Scope, v.Signature}); ok {
			e.held++
			out[i].Held = e.held
		}
	}
	return out
}

// carried lists the entries whose culprits r carries, in r's order.
func (b *Breaker[T]) carried(r Request) []*entry[T] {
	at := places(r.Items)
	out := b.entries.carried(r.Session, r.Scope, at)
	out = slices.DeleteFunc(out, func(e *entry[T]) bool { return e.Whole && len(at) != len(e.Culprits) })
	first := make(map[*entry[T]]int, len(out))
	for _, e := range out {
		first[e] = at.first(e.Culprits)
	}
	slices.SortFunc(out, func(x, y *entry[T]) int {
		return cmp.Or(
			cmp.Compare(first[x], first[y]),
			bytes.Compare(x.key.signature[:], y.key.signature[:]))
	})
	return out
}

// Fail records that the ticket's request failed for good. It returns the entry
// that stands for the failure, and whether there is one: a first suspected
// failure leaves none.
func (b *Breaker[T]) Fail(t Ticket, f Failure[T]) (Entry[T], bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.release(t)
	if len(f.Culprits) == 0 {
		return Entry[T]{}, false // nothing that a later request could be known by
	}
	now := b.now()
	k := key{t.request.Session, t.request.Scope, Sign(t.request.Scope, f.Culprits)}
	old, known := b.entries.get(k)
	switch {
	case known && old.clock > t.clock:
		return old.view(now), true // recorded by a later request: nothing new
	case b.forgottenSince(k, t):
		return Entry[T]{}, false // the next request is to try it again
	case !known && f.Suspect && !b.second(t, k, f, now):
		return Entry[T]{}, false
	}
	b.clock++
	e := &entry[T]{Failure: f, key: k, clock: b.clock, since: now, end: now.Add(b.maxHold)}
	e.slide(now, b.coolOff)
	b.entries.put(k, e)
	b.rows.remove(k)
	if !f.Whole {
		for _, it := range f.Culprits {
			b.good.Remove(goodKey{t.request.Session, it})
		}
	}
	return e.view(now), true
}

// second tells whether a suspected failure follows another of the same
// signature, and notes it if it is the first. The two must not overlap: calls
// side by side that meet the same hiccup are one failure.
func (b *Breaker[T]) second(t Ticket, k key, f Failure[T], now time.Time) bool {
	r, ok := b.rows.get(k)
	if ok && now.Before(r.at.Add(b.maxHold)) {
		return r.clock < t.clock
	}
	b.clock++
	b.rows.put(k, row{k, f.Culprits, now, b.clock})
	return false
}

// Succeed records that the ticket's request went well with all it carried. It
// forgets the failures blamed on its items, unless they were recorded after it
// was sent, and returns them in the order in which the request carries them.
func (b *Breaker[T]) Succeed(t Ticket) []Entry[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.release(t)
	r := t.request
	at := places(r.Items)
	now := b.now()
	var cleared []Entry[T]
	newer := map[Item]bool{}
	for _, e := range b.carried(r) {
		if e.clock > t.clock {
			for _, it := range e.Culprits {
				newer[it] = true
			}
			continue
		}
		cleared = append(cleared, e.view(now))
		b.entries.remove(e.key)
	}
	for _, row := range b.rows.carried(r.Session, r.Scope, at) {
		b.rows.remove(row.key)
	}
	for it := range at {
		if !newer[it] {
			b.good.Add(goodKey{r.Session, it}, struct{}{})
		}
	}
	return cleared
}

// Abandon records that the ticket's request proved nothing. What it probed
// stays half-open: the next request is the next probe.
func (b *Breaker[T]) Abandon(t Ticket) {
	if len(t.probed) == 0 {
		return // nothing waits for it
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(t)
}

// release ends the ticket's probes. A probe that another ticket has begun
// since, or an entry recorded anew, is not this ticket's any more.
func (b *Breaker[T]) release(t Ticket) {
	for _, k := range t.probed {
		if e, ok := b.entries.get(k); ok && e.probe == t.clock {
			e.probe = 0
		}
	}
}

// Unproven returns those of the items, each once and in their order, that have
// not gone well in the session.
func (b *Breaker[T]) Unproven(session string, items []Item) []Item {
	var out []Item
	seen := make(map[Item]bool, len(items))
	for _, it := range items {
		if !seen[it] && !b.good.Contains(goodKey{session, it}) {
			out = append(out, it)
		}
		seen[it] = true
	}
	return out
}

// Entries lists what is remembered, the oldest first.
func (b *Breaker[T]) Entries() []Entry[T] {
	all := b.all()
	slices.SortFunc(all, func(x, y *entry[T]) int { return cmp.Compare(x.clock, y.clock) })
	out := make([]Entry[T], 0, len(all))
	b.look(all, func(e *entry[T], now time.Time) { out = append(out, e.view(now)) })
	return out
}

// Count tells how many entries are in each state.
func (b *Breaker[T]) Count() map[State]int {
	count := map[State]int{}
	b.look(b.all(), func(e *entry[T], now time.Time) { count[e.state(now)]++ })
	return count
}

func (b *Breaker[T]) all() []*entry[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.entries.all()
}

// atOnce is how many entries are looked at under one lock: to list a full memory
// must not keep requests waiting.
const atOnce = 256

// look shows entries as they are. Those that change meanwhile are seen as they
// were or as they have become.
func (b *Breaker[T]) look(all []*entry[T], f func(*entry[T], time.Time)) {
	for some := range slices.Chunk(all, atOnce) {
		b.mu.Lock()
		now := b.now()
		for _, e := range some {
			f(e, now)
		}
		b.mu.Unlock()
	}
}

// forgottenSince tells whether an entry was forgotten while the ticket's request
// was on its way.
func (b *Breaker[T]) forgottenSince(k key, t Ticket) bool {
	at, ok := b.forgot.Peek(k)
	return ok && at > t.clock
}

// Forget drops the entries that match says yes to, and returns them. Requests
// that are on their way, probes among them, do not bring them back.
func (b *Breaker[T]) Forget(match func(Signature) bool) []Entry[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	var gone []Entry[T]
	for _, e := range b.entries.all() {
		if match(e.key.signature) {
			b.entries.remove(e.key)
			b.clock++
			b.forgot.Add(e.key, b.clock)
			gone = append(gone, e.view(now))
		}
	}
	return gone
}
