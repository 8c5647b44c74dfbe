package breaker

import "time"

// State says what an entry does with the next request that carries its items.
type State string

// The states of an entry. Their values are published: /-/breakers and the metrics
// show them.
const (
	Open     State = "live"      // rejects it
	HalfOpen State = "half_open" // lets it through as a probe
	Probing  State = "probing"   // rejects it until the probe's outcome is known
)

// Entry is a remembered failure as it was at some moment.
type Entry[T any] struct {
	Failure[T]
	Session   string
	Scope     string
	Signature Signature
	State     State
	Since     time.Time     // when it was recorded, or recorded anew after a probe
	Rejected  int           // how many requests it has kept from going since
	Remaining time.Duration // until it is half-open; zero once it is
}

// entry is a remembered failure.
type entry[T any] struct {
	Failure[T]
	key      key
	seq      uint64 // when it was recorded
	probe    uint64 // the lease that probes it, by its seq; zero without one
	since    time.Time
	until    time.Time // the cool-off's end
	end      time.Time // max-hold's end: no extension goes beyond
	rejected int
}

func (e *entry[T]) open(now time.Time) bool { return now.Before(e.until) }

// extend starts the cool-off again, unless it has run out: a probe is due then,
// however many requests are rejected meanwhile.
func (e *entry[T]) extend(now time.Time, coolOff time.Duration) {
	if !e.until.IsZero() && !e.open(now) {
		return
	}
	e.until = now.Add(coolOff)
	if e.until.After(e.end) {
		e.until = e.end
	}
}

func (e *entry[T]) state(now time.Time) State {
	switch {
	case e.open(now):
		return Open
	case e.probe != 0:
		return Probing
	}
	return HalfOpen
}

func (e *entry[T]) view(session string, now time.Time) Entry[T] {
	v := Entry[T]{
		Failure: e.Failure, Session: session, Scope: e.key.scope, Signature: e.key.signature,
		State: e.state(now), Since: e.since, Rejected: e.rejected,
	}
	if v.State == Open {
		v.Remaining = e.until.Sub(now)
	}
	return v
}

// strike is the first of two suspected failures in a row.
type strike struct {
	key   key
	items []Item
	at    time.Time
	seq   uint64
}
