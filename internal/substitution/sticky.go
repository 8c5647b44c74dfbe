package substitution

import (
	"maps"
	"slices"

	"imagebreaker/imagehash"
	"imagebreaker/internal/protocol"
)

// Sticky are the images of the request that are replaced in its session, or were in
// the one that it has forked from. unverified tells which of some items have not
// been seen to go well in the session.
func (m *Memory) Sticky(q *protocol.Request, scope string, unverified func(items [][32]byte) [][32]byte) Set {
	found := Set{}
	maps.Copy(found, m.Find(q.Session, scope, q.Items()))
	if len(found) == 0 {
		m.findBeforeFork(found, q, scope, unverified)
	}
	return found
}

// Stick remembers that the images of the set are replaced in the request's session,
// and in what will have forked from it.
func (m *Memory) Stick(q *protocol.Request, scope string, set Set) {
	if len(m.Find(q.Session, scope, q.Items())) == len(set) {
		return // nothing new
	}
	fork := forkOf(q.Conversation())
	for it, mark := range set {
		m.Add(q.Session, scope, it, mark)
		m.Add(fork, scope, it, mark)
	}
	// Of no one failure: to forget one must not hide the others.
	m.Add(fork, scope, anyItem, Mark{})
}

// forkOf names, among the sessions, whatever grows out of a conversation whose
// digest this is.
func forkOf(conversation imagehash.Sum) string { return "fork of " + conversation.String() }

// anyItem stands for whether a fork has any substitution at all.
var anyItem [32]byte

// How far back a fork is looked for. What a conversation has replaced grows, so
// that the newest of its forks have it all.
const (
	maxEarlier = 4096
	maxForks   = 8
)

// findBeforeFork finds what was replaced before another session forked from its own:
// that session's first request has the image again, but the model's answers in it
// were given to the placeholder.
func (m *Memory) findBeforeFork(found Set, q *protocol.Request, scope string, unverified func([][32]byte) [][32]byte) {
	if m.Empty() {
		return
	}
	earlier := q.Earlier()
	forks := 0
	for _, digest := range slices.Backward(earlier[max(0, len(earlier)-maxEarlier):]) {
		from := forkOf(digest)
		if len(m.Find(from, scope, [][32]byte{anyItem})) == 0 {
			continue
		}
		// What has gone well in this very session is no fork's image.
		for it, mark := range m.Find(from, scope, unverified(q.Items())) {
			if _, ok := found[it]; !ok {
				found[it] = mark
			}
		}
		if forks++; forks == maxForks {
			return
		}
	}
}
