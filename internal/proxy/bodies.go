package proxy

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// bodies lends the memory for long bodies. To have it anew for each costs half
// as much again as to pass the body on (measured with 10 MB). What comes back is
// kept for a while, however many CPUs there are and however little else is
// collected: hence no sync.Pool. The zero value is ready.
type bodies struct {
	mu   sync.Mutex
	idle []idleBody // the one that came back last is the last
	kept int        // bytes of all of them
	lent int        // how many are out

	spoil bool // in tests: whoever reads what he has given back shall see it
}

type idleBody struct {
	memory []byte
	since  time.Time
}

const (
	idleFor  = 10 * time.Second // at most, and half as long again
	idleRoom = 512 << 20        // bytes that are kept at most
	worthIt  = 8 << 20          // bytes for which it is worth to collect everything
)

// get returns n bytes, with whatever in them.
func (b *bodies) get(n int) []byte {
	b.mu.Lock()
	b.lent++
	best := -1
	for i, m := range slices.Backward(b.idle) {
		if size := cap(m.memory); n <= size && size <= 2*n && (best < 0 || size < cap(b.idle[best].memory)) {
			best = i
		}
	}
	if best < 0 {
		b.mu.Unlock()
		return make([]byte, n)
	}
	defer b.mu.Unlock()
	memory := b.idle[best].memory
	b.idle = slices.Delete(b.idle, best, best+1)
	b.kept -= cap(memory)
	return memory[:n]
}

// put takes memory back that nobody reads or writes any more.
func (b *bodies) put(memory []byte) {
	if b.spoil {
		for i := range memory {
			memory[i] = '!'
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lent--
	if b.kept+cap(memory) > idleRoom {
		return
	}
	if len(b.idle) == 0 {
		time.AfterFunc(idleFor/2, b.drop)
	}
	b.idle = append(b.idle, idleBody{memory, time.Now()})
	b.kept += cap(memory)
}

// drop gives up what has been idle for long, and comes again while there is more.
func (b *bodies) drop() {
	b.mu.Lock()
	old, before := 0, b.kept
	for old < len(b.idle) && time.Since(b.idle[old].since) >= idleFor {
		b.kept -= cap(b.idle[old].memory)
		old++
	}
	b.idle = slices.Delete(b.idle, 0, old)
	if len(b.idle) > 0 {
		time.AfterFunc(idleFor/2, b.drop)
	}
	dropped := before - b.kept
	b.mu.Unlock()
	if dropped >= worthIt {
		debug.FreeOSMemory() // nothing else may be collected for minutes
	}
}
