package metrics

import "sync"

// maxReasons is how many reasons have a series of their own. The built-in rules
// know about 45; a user's rules may have any.
const maxReasons = 64

// names bounds the values of a label: the first ones stand for themselves.
type names struct {
	mu    sync.Mutex
	most  int
	known map[string]bool
}

func newNames(most int) *names { return &names{most: most, known: map[string]bool{}} }

// label is the name, or other if there are too many.
func (n *names) label(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.known[name] {
		if len(n.known) >= n.most {
			return "other"
		}
		n.known[name] = true
	}
	return name
}
