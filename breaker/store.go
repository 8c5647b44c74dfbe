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

// size is how much a session holds of each kind.
type size [6]int

const (
	entries = iota
	entryItems
	strikes
	strikeItems
	good
	forgotten
)

func (s *Session[T]) size() size {
	return size{
		entries: s.entries.len(), entryItems: s.entries.total, strikes: s.strikes.len(), strikeItems: s.strikes.total,
		good: s.good.Len(), forgotten: s.forgotten.Len(),
	}
}

// add adds b times n.
func (a *size) add(b size, n int) {
	for i := range a {
		a[i] += n * b[i]
	}
}

// over tells whether there is more of a kind than most allows.
func (a size) over(most size) bool {
	for i := range a {
		if a[i] > most[i] {
			return true
		}
	}
	return false
}

// shed forgets the least recently used of a kind of which there is too much. It
// returns false if that is all that the session has of it: the newest failure
// stays, whatever it costs.
func (s *Session[T]) shed(total, most size) bool {
	switch {
	case (total[entries] > most[entries] || total[entryItems] > most[entryItems]) && s.entries.len() > 1:
		s.entries.removeOldest()
	case (total[strikes] > most[strikes] || total[strikeItems] > most[strikeItems]) && s.strikes.len() > 1:
		s.strikes.removeOldest()
	case total[good] > most[good] && s.good.Len() > 0:
		s.good.RemoveOldest()
	case total[forgotten] > most[forgotten] && s.forgotten.Len() > 0:
		s.forgotten.RemoveOldest()
	default:
		return false
	}
	return true
}
