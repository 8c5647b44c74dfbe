package breaker

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"time"
)

// Signature names a failure: the SHA-256 over its scope and its sorted culprits.
type Signature [sha256.Size]byte

// Sign returns the signature of a failure in scope that is blamed on culprits,
// in whatever order they come.
func Sign(scope string, culprits []Item) Signature {
	sorted := slices.SortedFunc(slices.Values(culprits), func(x, y Item) int { return bytes.Compare(x[:], y[:]) })
	h := sha256.New()
	// The length keeps a scope's end from being taken for an item.
	h.Write(binary.AppendUvarint(nil, uint64(len(scope))))
	h.Write([]byte(scope))
	for _, it := range sorted {
		h.Write(it[:])
	}
	return Signature(h.Sum(nil))
}

// String is the signature's first 16 hex digits, as people and logs see it.
func (s Signature) String() string { return hex.EncodeToString(s[:8]) }

// State says what an entry does with the next request that carries its culprits.
type State string

const (
	Live     State = "live"      // holds it
	HalfOpen State = "half_open" // lets it through as a probe
	Probing  State = "probing"   // holds it until the probe's outcome is known
)

// Entry is a remembered failure as it was at some moment.
type Entry[T any] struct {
	Failure[T]
	Session   string
	Scope     string
	Signature Signature
	State     State
	Since     time.Time     // when it was recorded, or recorded anew after a probe
	Held      int           // how many requests it has held since
	Remaining time.Duration // until it is half-open; zero once it is
}

// entry is a remembered failure. The Breaker's lock guards it.
type entry[T any] struct {
	Failure[T]
	key   key
	clock uint64 // when it was recorded, on the Breaker's count
	probe uint64 // the ticket that probes it; zero without one
	since time.Time
	until time.Time // the cool-off's end
	end   time.Time // max-hold's end: no slide goes beyond
	held  int
}

func (e *entry[T]) live(now time.Time) bool { return now.Before(e.until) }

// slide starts the cool-off again, unless it has run out: a probe is due then,
// however many requests are held meanwhile.
func (e *entry[T]) slide(now time.Time, coolOff time.Duration) {
	if !e.until.IsZero() && !e.live(now) {
		return
	}
	e.until = now.Add(coolOff)
	if e.until.After(e.end) {
		e.until = e.end
	}
}

func (e *entry[T]) view(now time.Time) Entry[T] {
	v := Entry[T]{
		Failure: e.Failure, Session: e.key.session, Scope: e.key.scope, Signature: e.key.signature,
		State: e.state(now), Since: e.since, Held: e.held,
	}
	if v.State == Live {
		v.Remaining = e.until.Sub(now)
	}
	return v
}

func (e *entry[T]) state(now time.Time) State {
	switch {
	case e.live(now):
		return Live
	case e.probe != 0:
		return Probing
	}
	return HalfOpen
}

// place tells where a request first carries each of its items.
type place map[Item]int

func places(items []Item) place {
	at := make(place, len(items))
	for i, it := range items {
		if _, ok := at[it]; !ok {
			at[it] = i
		}
	}
	return at
}

func (p place) all(items []Item) bool {
	for _, it := range items {
		if _, ok := p[it]; !ok {
			return false
		}
	}
	return true
}

func (p place) first(items []Item) int {
	best := math.MaxInt
	for _, it := range items {
		if i, ok := p[it]; ok && i < best {
			best = i
		}
	}
	return best
}
