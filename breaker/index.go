package breaker

import (
	"math"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// key names a failure of a session. The signature says the scope too; it stands
// beside it so that what a request could meet is found without going through all.
type key struct {
	scope     string
	signature Signature
}

// leadKey is where a failure stands in an index: under the first of its items.
type leadKey struct {
	scope string
	lead  Item
}

// index is an LRU of failures that are also found by what a request carries. The
// zero value is empty and ready to use.
type index[V any] struct {
	items func(V) []Item
	lru   *simplelru.LRU[key, V] // nil: empty
	leads map[leadKey]map[Signature]V
	total int // items of all failures
}

func (x *index[V]) put(k key, v V) {
	if x.lru == nil {
		x.lru, _ = simplelru.NewLRU(math.MaxInt, x.unlink) // its one error is a size below one
		x.leads = map[leadKey]map[Signature]V{}
	}
	x.remove(k) // its items may come in another order now
	x.lru.Add(k, v)
	at := x.leadOf(k, v)
	if x.leads[at] == nil {
		x.leads[at] = map[Signature]V{}
	}
	x.leads[at][k.signature] = v
	x.total += len(x.items(v))
}

func (x *index[V]) leadOf(k key, v V) leadKey { return leadKey{k.scope, x.items(v)[0]} }

// unlink runs for whatever leaves the LRU.
func (x *index[V]) unlink(k key, v V) {
	x.total -= len(x.items(v))
	at := x.leadOf(k, v)
	delete(x.leads[at], k.signature)
	if len(x.leads[at]) == 0 {
		delete(x.leads, at)
	}
}

// get does not count as use: only rejecting and recording do.
func (x *index[V]) get(k key) (v V, ok bool) {
	if x.lru == nil {
		return v, false
	}
	return x.lru.Peek(k)
}

func (x *index[V]) touch(k key) {
	if x.lru != nil {
		x.lru.Get(k)
	}
}

func (x *index[V]) remove(k key) {
	if x.lru != nil {
		x.lru.Remove(k)
	}
}

func (x *index[V]) removeOldest() {
	if x.lru != nil {
		x.lru.RemoveOldest()
	}
}

func (x *index[V]) len() int {
	if x.lru == nil {
		return 0
	}
	return x.lru.Len()
}

func (x *index[V]) values() []V {
	if x.lru == nil {
		return nil
	}
	return x.lru.Values()
}

// carried lists the failures of a scope whose items are all among those at these
// positions, in no order.
func (x *index[V]) carried(scope string, at positions) []V {
	if x.len() == 0 {
		return nil
	}
	var out []V
	for it := range at {
		for _, v := range x.leads[leadKey{scope, it}] {
			if at.all(x.items(v)) {
				out = append(out, v)
			}
		}
	}
	return out
}

// positions tells where a request first carries each of its items.
type positions map[Item]int

func positionsOf(items []Item) positions {
	at := make(positions, len(items))
	for i, it := range items {
		if _, ok := at[it]; !ok {
			at[it] = i
		}
	}
	return at
}

func (p positions) all(items []Item) bool {
	for _, it := range items {
		if _, ok := p[it]; !ok {
			return false
		}
	}
	return true
}

func (p positions) first(items []Item) int {
	best := math.MaxInt
	for _, it := range items {
		if i, ok := p[it]; ok && i < best {
			best = i
		}
	}
	return best
}
