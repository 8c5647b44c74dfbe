package breaker

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// For each failure that is remembered there is room for so many marks (an agent's
// history holds a hundred images or so that are known to be good, and few of them ever
// fail), and for so many items. A failure that is attributed to very many items must
// not cost as much as that many failures, but minItems there is always room for.
const (
	marksPerFailure = 16
	itemsPerFailure = 64
	minItems        = 1 << 14
)

// Memory is a Store in this process's memory. When there is too much to remember,
// the least recently used sessions are forgotten first; of the last one, its least
// recently used failures. It is safe for parallel use.
type Memory[T any] struct {
	mu       sync.Mutex
	sessions *simplelru.LRU[string, *Session[T]]
	none     *Session[T] // what is shown of any other
	total    size
	most     size
}

// NewMemory returns a store with room for so many failures. Capacity is above zero.
func NewMemory[T any](capacity int) *Memory[T] {
	if capacity <= 0 {
		panic("breaker: capacity must be positive") // a caller's mistake, as with make
	}
	m := &Memory[T]{none: NewSession[T](), most: size{
		entries: capacity, items: max(itemsPerFailure*capacity, minItems), marks: max(marksPerFailure*capacity, minItems),
	}}
	m.sessions, _ = simplelru.NewLRU(math.MaxInt, func(_ string, s *Session[T]) { m.total.add(s.size(), -1) }) // its one error is a size below one
	return m
}

// Update implements Store. It counts as use of the session.
func (m *Memory[T]) Update(session string, f func(*Session[T])) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, kept := m.sessions.Get(session)
	if !kept {
		s = NewSession[T]()
	}
	m.resize(s, func() { f(s) })
	empty := s.size() == (size{})
	switch {
	case empty && kept:
		m.sessions.Remove(session)
	case !empty && !kept:
		m.sessions.Add(session, s)
	}
	m.evict(s)
}

// resize counts what f adds to the session or takes from it.
func (m *Memory[T]) resize(s *Session[T], f func()) {
	m.total.add(s.size(), -1)
	defer func() { m.total.add(s.size(), 1) }()
	f()
}

// evict forgets until there is room for all. The session that was used last is the
// last to be forgotten.
func (m *Memory[T]) evict(last *Session[T]) {
	for m.total.tooManyEntries(m.most) || m.total.tooManyMarks(m.most) {
		if _, oldest, ok := m.sessions.GetOldest(); ok && oldest != last {
			m.sessions.RemoveOldest()
			continue
		}
		total, more := m.total, false
		m.resize(last, func() { more = last.shed(total, m.most) })
		if !more {
			return
		}
	}
}

// View implements Store. It does not count as use.
func (m *Memory[T]) View(session string, f func(*Session[T])) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.sessions.Peek(session); ok {
		f(s)
		return
	}
	f(m.none)
}

// Failing implements Store.
func (m *Memory[T]) Failing() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, name := range m.sessions.Keys() {
		if s, _ := m.sessions.Peek(name); s.entries.len() > 0 {
			out = append(out, name)
		}
	}
	return out
}

// Len implements Store.
func (m *Memory[T]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total.entries
}
