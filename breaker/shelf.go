package breaker

import (
	lru "github.com/hashicorp/golang-lru/v2"
)

// key names an entry. The signature says the scope too; it stands beside it so
// that what a request could meet is found without going through all.
type key struct {
	session, scope string
	signature      Signature
}

// shelfKey is where a value stands on its shelf: under the first of its culprits.
type shelfKey struct {
	session, scope string
	lead           Item
}

// A failure that is put down to very many items must not cost as much as that
// many failures: all values together have room for so many culprits each, and
// one of the smallest shelf for so many alone.
const (
	culpritsPerValue = 64
	leastCulprits    = 1 << 14
)

// shelf is an LRU whose values are also found by what a request carries. The
// Breaker's lock guards it.
type shelf[V any] struct {
	cache    *lru.Cache[key, V]
	culprits func(V) []Item
	near     map[shelfKey]map[Signature]V
	sessions map[string]int // values of each
	held     int            // culprits of all values
	most     int            // that it may hold
}

func newShelf[V any](capacity int, culprits func(V) []Item) *shelf[V] {
	s := &shelf[V]{culprits: culprits, near: map[shelfKey]map[Signature]V{}, sessions: map[string]int{}, most: max(culpritsPerValue*capacity, leastCulprits)}
	c, err := lru.NewWithEvict(capacity, s.drop)
	if err != nil {
		panic("breaker: capacity must be positive") // a caller's mistake, as with make
	}
	s.cache = c
	return s
}

func (s *shelf[V]) at(k key, v V) shelfKey {
	return shelfKey{k.session, k.scope, s.culprits(v)[0]}
}

func (s *shelf[V]) put(k key, v V) {
	s.remove(k) // its culprits may come in another order now
	s.cache.Add(k, v)
	at := s.at(k, v)
	if s.near[at] == nil {
		s.near[at] = map[Signature]V{}
	}
	s.near[at][k.signature] = v
	s.sessions[k.session]++
	s.held += len(s.culprits(v))
	for s.held > s.most && s.cache.Len() > 1 {
		s.cache.RemoveOldest()
	}
}

// drop follows the LRU: it runs for whatever leaves it.
func (s *shelf[V]) drop(k key, v V) {
	s.held -= len(s.culprits(v))
	at := s.at(k, v)
	delete(s.near[at], k.signature)
	if len(s.near[at]) == 0 {
		delete(s.near, at)
	}
	if s.sessions[k.session]--; s.sessions[k.session] == 0 {
		delete(s.sessions, k.session)
	}
}

// get does not count as use: only holding and recording do.
func (s *shelf[V]) get(k key) (V, bool) { return s.cache.Peek(k) }

func (s *shelf[V]) touch(k key) { s.cache.Get(k) }

func (s *shelf[V]) remove(k key) { s.cache.Remove(k) }

func (s *shelf[V]) len() int { return s.cache.Len() }

func (s *shelf[V]) inSession(session string) int { return s.sessions[session] }

func (s *shelf[V]) all() []V { return s.cache.Values() }

// carried lists the values of a session and scope whose culprits are all among
// the items at these places, in no order.
func (s *shelf[V]) carried(session, scope string, at place) []V {
	var out []V
	for it := range at {
		for _, v := range s.near[shelfKey{session, scope, it}] {
			if at.all(s.culprits(v)) {
				out = append(out, v)
			}
		}
	}
	return out
}
