// Package substitution replaces images of a request by placeholders, and remembers
// which ones in which conversations.
//
// An image that was replaced once must stay so: one that comes and goes would
// break prompt caches and the signatures of earlier answers. So the memory
// outlives a breaker's entry, and the program: it is kept in a small file, in
// which conversations and images are hashed.
package substitution

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"imagebreaker/internal/record"
)

// unusedFor is how long a substitution is remembered without being used.
const unusedFor = 7 * 24 * time.Hour

// touchAfter is how old the time of a substitution's last use may grow: the file
// need not be written with every request.
const touchAfter = time.Hour

// Mark says why an image is replaced.
type Mark struct {
	Signature string // of the failure, 16 hex digits: by this it is forgotten
	Reason    record.Reason
	Unsure    bool // the failure may have been another image's
}

// Record is one substitution, as it is listed.
type Record struct {
	Mark
	Used time.Time // when it was made or last made use of
}

// Config sets up a Memory.
type Config struct {
	// Path is the state file's. Empty: the memory ends with the program.
	Path string
	// Capacity is how many substitutions are remembered; the least recently used is
	// forgotten first. Zero means 4096.
	Capacity int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Warn is told of trouble with the file, in one line. Nil: nobody is.
	Warn func(string)
}

// Memory remembers substitutions. It is safe for parallel use. Make one with Open.
type Memory struct {
	now   func() time.Time
	mu    sync.Mutex
	known *lru.Cache[string, Record]
	gone  *lru.Cache[string, struct{}] // forgotten here: another process's file may still have them
	file  *file                        // nil: none
}

// Open starts a memory with what the file has. A file that is missing or
// damaged is an empty one; damage is told to c.Warn.
func Open(c Config) *Memory {
	if c.Capacity == 0 {
		c.Capacity = 4096
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Warn == nil {
		c.Warn = func(string) {}
	}
	known, err := lru.New[string, Record](c.Capacity)
	if err != nil {
		panic("substitution: capacity must be positive") // a caller's mistake, as with make
	}
	gone, err := lru.New[string, struct{}](c.Capacity)
	if err != nil {
		panic("substitution: capacity must be positive")
	}
	m := &Memory{now: c.Now, known: known, gone: gone}
	if c.Path == "" {
		return m
	}
	stored, err := load(c.Path)
	switch {
	case errors.Is(err, errNoFile):
		c.Warn("state file: " + err.Error() + "; substitutions are remembered until the program ends")
		return m
	case err != nil:
		c.Warn("state file: " + err.Error() + "; starting without earlier substitutions")
	}
	for _, s := range stored {
		if s.Used.After(c.Now()) { // the clock was wrong: it must not be kept for ever
			s.Used = c.Now()
		}
		if c.Now().Sub(s.Used) < unusedFor {
			known.Add(s.Key, s.record())
		}
	}
	clean(c.Path, c.Now())
	m.file = newFile(c.Path, m.merged, c.Warn)
	return m
}

// key hashes where an image is replaced. The file tells nobody more.
func key(session, scope string, item [32]byte) string {
	h := sha256.New()
	for _, s := range []string{session, scope} {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	h.Write(item[:])
	return hex.EncodeToString(h.Sum(nil))
}

// Add notes that the item is replaced in the session, for requests of a scope.
func (m *Memory) Add(session, scope string, item [32]byte, mark Mark) {
	m.mu.Lock()
	k := key(session, scope, item)
	m.known.Add(k, Record{mark, m.now()})
	m.gone.Remove(k)
	m.mu.Unlock()
	m.file.changed()
}

// Find returns those of the items that are replaced in the session, with why.
func (m *Memory) Find(session, scope string, items [][32]byte) Set {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known.Len() == 0 {
		return nil
	}
	now := m.now()
	var found Set
	for _, it := range items {
		k := key(session, scope, it)
		r, ok := m.known.Get(k)
		switch {
		case !ok:
			continue
		case now.Sub(r.Used) >= unusedFor:
			m.known.Remove(k)
			continue
		case now.Sub(r.Used) >= touchAfter:
			m.known.Add(k, Record{r.Mark, now})
			m.file.changed()
		}
		if found == nil {
			found = Set{}
		}
		found[it] = r.Mark
	}
	return found
}

// Empty tells whether nothing is remembered.
func (m *Memory) Empty() bool { return m.known.Len() == 0 }

// Forget drops the substitutions whose failure's signature match says yes to, and
// returns how many.
func (m *Memory) Forget(match func(signature string) bool) int {
	m.mu.Lock()
	n := 0
	for _, k := range m.known.Keys() {
		if r, _ := m.known.Peek(k); match(r.Signature) {
			m.known.Remove(k)
			m.gone.Add(k, struct{}{})
			n++
		}
	}
	m.mu.Unlock()
	if n > 0 {
		m.file.changed()
	}
	return n
}

// List returns all substitutions, the least recently used first.
func (m *Memory) List() []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known.Values()
}

// Close writes what has changed.
func (m *Memory) Close() { m.file.close() }

// merged is what goes into the file that holds on: what is known here, and what
// another process has put there since.
func (m *Memory) merged(on []stored) []stored {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []stored
	for _, s := range on {
		if !m.known.Contains(s.Key) && !m.gone.Contains(s.Key) && m.now().Sub(s.Used) < unusedFor {
			out = append(out, s)
		}
	}
	for _, k := range m.known.Keys() {
		r, _ := m.known.Peek(k)
		out = append(out, stored{k, r.Signature, r.Reason, r.Unsure, r.Used})
	}
	return out[max(0, len(out)-maxStored):]
}
