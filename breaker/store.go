package breaker

// Store keeps sessions. Memory is one; another is a file of this package beside it.
//
// A session that nobody has kept is as NewSession makes it. A store that cannot
// reach what it keeps hands out such a session: the breaker fails open.
type Store[T any] interface {
	// Update calls f with a session and keeps what f leaves of it. Nobody else
	// sees the session meanwhile. f may be called more than once, with the session
	// as it was; its last call is the one that counts.
	Update(session string, f func(*Session[T]))
	// View calls f with a session that f does not change.
	View(session string, f func(*Session[T]))
	// Failing lists the sessions that have entries, in no order.
	Failing() []string
	// Len is how many entries all sessions have.
	Len() int
}

// size is how much a session holds.
type size struct {
	entries int
	items   int // of all entries
	marks   int // what is remembered beside entries: known-good items, items of first strikes, forgotten failures
}

func (s *Session[T]) size() size {
	return size{s.entries.len(), s.entries.total, s.good.Len() + s.strikes.total + s.forgotten.Len()}
}

// add adds b times n.
func (a *size) add(b size, n int) {
	a.entries += n * b.entries
	a.items += n * b.items
	a.marks += n * b.marks
}

// tooManyEntries and tooManyMarks tell what there is more of than most allows.
func (a size) tooManyEntries(most size) bool { return a.entries > most.entries || a.items > most.items }
func (a size) tooManyMarks(most size) bool   { return a.marks > most.marks }

// shed forgets the least recently used of what there is too much of. It returns false
// if there is no more of that: the newest failure stays, whatever it costs.
func (s *Session[T]) shed(total, most size) bool {
	switch {
	case total.tooManyEntries(most) && s.entries.len() > 1:
		s.entries.removeOldest()
	case !total.tooManyMarks(most):
		return false
	case s.good.Len() > 0:
		s.good.RemoveOldest()
	case s.strikes.len() > 1:
		s.strikes.removeOldest()
	case s.forgotten.Len() > 0:
		s.forgotten.RemoveOldest()
	default:
		return false
	}
	return true
}
