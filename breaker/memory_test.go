package breaker

import (
	"fmt"
	"testing"
)

func inSession(name string, ns ...byte) Request {
	return Request{Session: name, Scope: "m", Items: items(ns...)}
}

// When there is too much to remember, the session that was not used for the longest
// time is forgotten as a whole.
func TestLeastRecentlyUsedSessionIsForgotten(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{Capacity: 3})
	for _, name := range []string{"a", "b", "c"} {
		sent(t, b, inSession(name, 1)).Fail(blame(1))
	}
	rejected(t, b, inSession("a", 1)) // used: b is the oldest now
	sent(t, b, inSession("d", 1)).Fail(blame(1))
	sent(t, b, inSession("b", 1))
	for _, name := range []string{"a", "c", "d"} {
		rejected(t, b, inSession(name, 1))
	}
}

// What is known to be good is bounded, in each session and in all.
func TestMarksAreBounded(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{Capacity: 1})
	m := b.store.(*Memory[string])
	for i := range 5 {
		r := Request{Session: fmt.Sprint(i), Scope: "m"}
		for n := range minItems / 2 {
			r.Items = append(r.Items, Item{byte(i), byte(n), byte(n >> 8)})
		}
		sent(t, b, r).Succeed()
		if left := b.Unverified(r.Session, r.Items); len(left) != 0 {
			t.Errorf("%d of the newest session are not known to be good", len(left))
		}
		if m.total.marks > minItems {
			t.Errorf("%d marks", m.total.marks)
		}
	}
	many := Request{Session: "5", Scope: "m"}
	for n := range 2 * goodPerSession {
		many.Items = append(many.Items, Item{5, byte(n), byte(n >> 8)})
	}
	sent(t, b, many).Succeed()
	if n := m.total.marks; n != goodPerSession {
		t.Errorf("%d marks of one session, want %d", n, goodPerSession)
	}
}

// A session of which nothing is left is not kept.
func TestEmptySessionsAreNotKept(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	m := b.store.(*Memory[string])
	for i := range 100 {
		r := inSession(fmt.Sprint(i), 1)
		sent(t, b, r).Release()
		b.Peek(r)
		b.Reject(b.Peek(r).Open, true)
		m.Update(r.Session, func(*Session[string]) {})
	}
	if n := m.sessions.Len(); n != 0 {
		t.Errorf("%d sessions are kept", n)
	}
}
