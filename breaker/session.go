package breaker

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Instant is a moment in the life of what is remembered: the time, and its place in
// the order of everything that happens. Times may repeat or jump; numbers only
// grow.
type Instant struct {
	Time time.Time
	Seq  uint64
}

// Session is what is remembered of one session: a state machine without a clock, a
// lock or a connection. Every moment is a parameter. A Store keeps sessions, and
// sees to it that nobody uses one at the same time as another.
type Session[T any] struct {
	entries   index[*entry[T]]
	strikes   index[strike]
	good      *simplelru.LRU[Item, struct{}] // what went well
	forgotten *simplelru.LRU[key, uint64]    // when an entry was forgotten on demand
}

// What one session remembers at most beside its failures, so that it cannot push
// out all the others.
const (
	goodPerSession      = 1 << 14
	forgottenPerSession = 1 << 12
)

// NewSession returns a session of which nothing is remembered.
func NewSession[T any]() *Session[T] {
	s := &Session[T]{}
	s.entries.items = func(e *entry[T]) []Item { return e.Items }
	s.strikes.items = func(k strike) []Item { return k.items }
	s.good, _ = simplelru.NewLRU[Item, struct{}](goodPerSession, nil) // their one error is a size below one
	s.forgotten, _ = simplelru.NewLRU[key, uint64](forgottenPerSession, nil)
	return s
}

// Windows are the times for which failures are remembered. Both are above zero.
type Windows struct {
	CoolOff, MaxHold time.Duration
}

// carried lists the entries whose items r carries, in r's order.
func (s *Session[T]) carried(r Request) []*entry[T] {
	if s.entries.len() == 0 {
		return nil
	}
	at := positionsOf(r.Items)
	out := s.entries.carried(r.Scope, at)
	out = slices.DeleteFunc(out, func(e *entry[T]) bool { return e.Whole && len(at) != len(e.Items) })
	first := make(map[*entry[T]]int, len(out))
	for _, e := range out {
		first[e] = at.first(e.Items)
	}
	slices.SortFunc(out, func(x, y *entry[T]) int {
		return cmp.Or(
			cmp.Compare(first[x], first[y]),
			bytes.Compare(x.key.signature[:], y.key.signature[:]))
	})
	return out
}

// decide tells the entries that reject r now from those that it would probe. While
// there is one that rejects it, it probes nothing: it goes nowhere.
func (s *Session[T]) decide(now time.Time, r Request) (rejecting, halfOpen []*entry[T]) {
	for _, e := range s.carried(r) {
		if e.state(now) == HalfOpen {
			halfOpen = append(halfOpen, e)
		} else {
			rejecting = append(rejecting, e)
		}
	}
	if len(rejecting) > 0 {
		halfOpen = nil
	}
	return rejecting, halfOpen
}

// acquire marks what r probes as probed by the lease at.Seq.
func (s *Session[T]) acquire(at Instant, r Request) (rejecting, probed []*entry[T]) {
	rejecting, probed = s.decide(at.Time, r)
	for _, e := range probed {
		e.probe = at.Seq
	}
	return rejecting, probed
}

// reject extends the cool-off of an entry that has kept a request from going, and
// counts it if it was answered in the upstream's place.
func (s *Session[T]) reject(now time.Time, w Windows, k key, count bool) (*entry[T], bool) {
	e, ok := s.entries.get(k)
	if !ok {
		return nil, false
	}
	e.extend(now, w.CoolOff)
	s.entries.touch(k)
	if count {
		e.rejected++
	}
	return e, true
}

// fail records a failure of r, which went at sent. It returns the entry that stands
// for it, and whether there is one: a first suspected failure leaves none.
func (s *Session[T]) fail(at Instant, w Windows, r Request, sent uint64, f Failure[T]) (*entry[T], bool) {
	if len(f.Items) == 0 {
		return nil, false // nothing that a later request could be known by
	}
	k := key{r.Scope, Sign(r.Scope, f.Items)}
	old, known := s.entries.get(k)
	forgot, _ := s.forgotten.Peek(k)
	switch {
	case known && old.seq > sent:
		return old, true // recorded by a later request: nothing new
	case forgot > sent:
		return nil, false // the next request is to try it again
	case !known && f.Suspect && !s.secondStrike(at, w, k, sent, f.Items):
		return nil, false
	}
	e := &entry[T]{Failure: f, key: k, seq: at.Seq, since: at.Time, end: at.Time.Add(w.MaxHold)}
	e.extend(at.Time, w.CoolOff)
	s.entries.put(k, e)
	s.strikes.remove(k)
	if !f.Whole {
		for _, it := range f.Items {
			s.good.Remove(it)
		}
	}
	return e, true
}

// secondStrike tells whether a suspected failure follows another of the same
// signature, and notes it if it is the first. The two must not overlap: calls side
// by side that meet the same hiccup are one failure.
func (s *Session[T]) secondStrike(at Instant, w Windows, k key, sent uint64, items []Item) bool {
	first, ok := s.strikes.get(k)
	if ok && at.Time.Before(first.at.Add(w.MaxHold)) {
		return first.seq < sent
	}
	s.strikes.put(k, strike{k, items, at.Time, at.Seq})
	return false
}

// succeed records that r, which went at sent, ended well with all it carried. It
// clears the failures attributed to its items, unless they were recorded after it
// went, and returns them in r's order.
func (s *Session[T]) succeed(r Request, sent uint64) []*entry[T] {
	var cleared []*entry[T]
	newer := map[Item]bool{}
	for _, e := range s.carried(r) {
		if e.seq > sent {
			for _, it := range e.Items {
				newer[it] = true
			}
			continue
		}
		cleared = append(cleared, e)
		s.entries.remove(e.key)
	}
	at := positionsOf(r.Items)
	for _, first := range s.strikes.carried(r.Scope, at) {
		s.strikes.remove(first.key)
	}
	for it := range at {
		if !newer[it] {
			s.good.Add(it, struct{}{})
		}
	}
	return cleared
}

// release ends the probes of the lease. One that another lease has begun since, or
// an entry recorded anew, is not its any more.
func (s *Session[T]) release(lease uint64, probed []key) {
	for _, k := range probed {
		if e, ok := s.entries.get(k); ok && e.probe == lease {
			e.probe = 0
		}
	}
}

// forget drops the entries that match says yes to, and returns them. Requests that
// are on their way do not bring them back.
func (s *Session[T]) forget(at Instant, match func(Signature) bool) []*entry[T] {
	var gone []*entry[T]
	for _, e := range s.entries.values() {
		if match(e.key.signature) {
			s.entries.remove(e.key)
			s.forgotten.Add(e.key, at.Seq)
			gone = append(gone, e)
		}
	}
	return gone
}
