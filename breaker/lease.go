package breaker

import "sync/atomic"

// Lease is the leave to send one request. It ends once: by Fail, Succeed or Release,
// whichever comes first. What comes later changes nothing. A nil lease is one that
// has ended. All but Bind may be called by several goroutines at once.
type Lease[T any] struct {
	breaker *Breaker[T]
	request Request
	bound   bool // the request is known
	seq     uint64
	probed  []Entry[T]
	ended   atomic.Bool
}

// Bind tells what a request of AcquireUnseen turned out to be. Without it, the end
// of its lease says nothing of anything.
func (l *Lease[T]) Bind(r Request) { l.request, l.bound = r, true }

// Probed are the entries that the request probes, as Decision.HalfOpen.
func (l *Lease[T]) Probed() []Entry[T] {
	if l == nil {
		return nil
	}
	return l.probed
}

// end ends the lease, and tells whether there is something to record with that.
func (l *Lease[T]) end() bool {
	return l != nil && l.ended.CompareAndSwap(false, true) && l.bound
}

// Fail records that the request failed for good. It returns the entry that stands
// for the failure, and whether there is one: a first suspected failure leaves none.
func (l *Lease[T]) Fail(f Failure[T]) (recorded Entry[T], ok bool) {
	if !l.end() {
		return recorded, false
	}
	l.update(func(s *Session[T], at Instant) {
		var e *entry[T]
		if e, ok = s.fail(at, l.breaker.windows, l.request, l.seq, f); ok {
			recorded = e.view(l.request.Session, at.Time)
		}
	})
	return recorded, ok
}

// Succeed records that the request went well with all it carried. It clears the
// failures attributed to its items, unless they were recorded after it was sent,
// and returns them in the order in which the request carries them.
func (l *Lease[T]) Succeed() (cleared []Entry[T]) {
	if !l.end() {
		return nil
	}
	l.update(func(s *Session[T], at Instant) {
		cleared = views(s.succeed(l.request, l.seq), l.request.Session, at.Time)
	})
	return cleared
}

// Release records that the request proved nothing. What it probed stays half-open:
// the next request is the next probe.
func (l *Lease[T]) Release() {
	if l.end() && len(l.probed) > 0 {
		l.update(func(*Session[T], Instant) {})
	}
}

// update changes the session as the lease ends.
func (l *Lease[T]) update(f func(*Session[T], Instant)) {
	l.breaker.store.Update(l.request.Session, func(s *Session[T]) {
		f(s, l.breaker.instant())
		s.release(l.seq, l.probedKeys())
	})
}

func (l *Lease[T]) probedKeys() []key {
	var out []key
	for _, e := range l.probed {
		out = append(out, key{e.Scope, e.Signature})
	}
	return out
}
