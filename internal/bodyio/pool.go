// Package bodyio carries the bodies of requests and answers: it receives, keeps,
// decodes and observes bytes. It knows no API, and nothing of what the bytes mean.
package bodyio

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Pool is a buffer pool for request bodies. New memory for each costs half as much
// again as to pass the body on (measured with 10 MB). What comes back is kept for a
// while, however many CPUs there are and however little else is collected: hence no
// sync.Pool. The zero value is ready. It is safe for parallel use.
type Pool struct {
	// Poison overwrites what comes back, so that a test sees who reads what it has
	// given back.
	Poison bool

	mu   sync.Mutex
	idle []idleBuffer // the one that came back last is the last
	kept int          // bytes of all of them
	out  int          // how many are in use
}

type idleBuffer struct {
	memory []byte
	since  time.Time
}

const (
	idleFor  = 10 * time.Second // at most, and half as long again
	idleRoom = 512 << 20        // bytes that are kept at most
	worthIt  = 8 << 20          // bytes for which it is worth to collect everything
	smallest = 64 << 10         // bytes from which on memory is kept at all
)

// Get returns n bytes, with whatever in them.
func (p *Pool) Get(n int) []byte {
	p.mu.Lock()
	p.out++
	best := -1
	for i, m := range slices.Backward(p.idle) {
		if size := cap(m.memory); n <= size && size <= 2*n && (best < 0 || size < cap(p.idle[best].memory)) {
			best = i
		}
	}
	if best < 0 {
		p.mu.Unlock()
		return make([]byte, n)
	}
	defer p.mu.Unlock()
	memory := p.idle[best].memory
	p.idle = slices.Delete(p.idle, best, best+1)
	p.kept -= cap(memory)
	return memory[:n]
}

// Put takes memory back that nobody reads or writes any more.
func (p *Pool) Put(memory []byte) {
	if p.Poison {
		for i := range memory {
			memory[i] = '!'
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out--
	if cap(memory) < smallest || p.kept+cap(memory) > idleRoom {
		return
	}
	if len(p.idle) == 0 {
		time.AfterFunc(idleFor/2, p.drop)
	}
	p.idle = append(p.idle, idleBuffer{memory, time.Now()})
	p.kept += cap(memory)
}

// drop gives up what has been idle for long, and comes again while there is more.
func (p *Pool) drop() {
	p.mu.Lock()
	old, before := 0, p.kept
	for old < len(p.idle) && time.Since(p.idle[old].since) >= idleFor {
		p.kept -= cap(p.idle[old].memory)
		old++
	}
	p.idle = slices.Delete(p.idle, 0, old)
	if len(p.idle) > 0 {
		time.AfterFunc(idleFor/2, p.drop)
	}
	dropped := before - p.kept
	p.mu.Unlock()
	if dropped >= worthIt {
		debug.FreeOSMemory() // nothing else may be collected for minutes
	}
}

// InUse is how many buffers have not come back.
func (p *Pool) InUse() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out
}
