package proxy

import (
	"testing"
	"testing/synctest"
	"time"
)

// state is how many bytes are kept, and how many bodies are out.
func (b *bodies) state() (kept, lent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept, b.lent
}

func TestBodiesAreLentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b bodies
		small, large := b.get(1000), b.get(1<<20)
		b.put(small)
		b.put(large)
		for _, c := range []struct {
			n    int
			want []byte // whose memory it is; nil: new
		}{
			{1<<20 - 5, large},
			{1 << 20, nil},        // it is out
			{499, nil},            // a small body does not get much more than it needs
			{1001, nil},           // nor less
			{500, small},          // half
			{len(small) / 2, nil}, // out as well
		} {
			got := b.get(c.n)
			if isNew := cap(got) != cap(c.want) || &got[0] != &c.want[0]; isNew != (c.want == nil) || len(got) != c.n {
				t.Errorf("%d bytes: new %v, %d long", c.n, isNew, len(got))
			}
		}
		if kept, lent := b.state(); lent != 6 || kept != 0 {
			t.Errorf("%d lent, %d kept", lent, kept)
		}
	})
}

func TestIdleBodiesAreDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b bodies
		one, two := b.get(1000), b.get(1000)
		b.put(one)
		time.Sleep(idleFor / 2)
		b.put(two)
		time.Sleep(idleFor - time.Nanosecond)
		synctest.Wait()
		if kept, _ := b.state(); kept != 1000 {
			t.Errorf("%d bytes are kept, want those that came back last", kept)
		}
		time.Sleep(idleFor)
		synctest.Wait()
		if kept, _ := b.state(); kept != 0 {
			t.Errorf("%d bytes are kept", kept)
		}
		b.put(b.get(1000)) // it comes again
		time.Sleep(2 * idleFor)
		synctest.Wait()
		if kept, _ := b.state(); kept != 0 {
			t.Errorf("%d bytes are kept", kept)
		}
	})
}

func TestFewBodiesAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b bodies
		b.put(b.get(idleRoom/2 + 1))
		b.put(make([]byte, idleRoom/2))
		if kept, _ := b.state(); kept != idleRoom/2+1 {
			t.Errorf("%d bytes are kept", kept)
		}
		time.Sleep(2 * idleFor)
	})
}
