package proxy

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// bodies lends the memory for long bodies. To have it anew for each costs half
// as much again as to pass the body on (measured with 10 MB). The zero value is ready.
type bodies struct {
	bySize [bits.UintSize + 1]sync.Pool // of *[]byte, by the bits of the length
	lent   atomic.Int64                 // how many are out
	spoil  bool                         // in tests: whoever reads what he has given back shall see it
}

// get returns n bytes, with whatever in them.
func (b *bodies) get(n int) []byte {
	b.lent.Add(1)
	if p, _ := b.bySize[bits.Len(uint(n))].Get().(*[]byte); p != nil && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]byte, n)
}

// put takes memory back that nobody reads or writes any more.
func (b *bodies) put(body []byte) {
	if b.spoil {
		for i := range body {
			body[i] = '!'
		}
	}
	b.bySize[bits.Len(uint(cap(body)))].Put(&body)
	b.lent.Add(-1)
}
