package bodyio

import (
	"testing"
	"testing/synctest"
	"time"
)

// state is how many bytes are kept, and how many buffers are in use.
func (b *Pool) state() (kept, out int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept, b.out
}

func TestMemoryIsPooled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b Pool
		small, large := b.Get(smallest), b.Get(1<<20)
		b.Put(small)
		b.Put(large)
		for _, c := range []struct {
			n    int
			want []byte // whose memory it is; nil: new
		}{
			{1<<20 - 5, large},
			{1 << 20, nil},        // it is out
			{smallest/2 - 1, nil}, // a small one does not get much more than it needs
			{smallest + 1, nil},   // nor less
			{smallest / 2, small}, // half
			{len(small) / 2, nil}, // out as well
		} {
			got := b.Get(c.n)
			if isNew := cap(got) != cap(c.want) || &got[0] != &c.want[0]; isNew != (c.want == nil) || len(got) != c.n {
				t.Errorf("%d bytes: new %v, %d long", c.n, isNew, len(got))
			}
		}
		if kept, out := b.state(); out != 6 || kept != 0 {
			t.Errorf("%d in use, %d kept", out, kept)
		}
	})
}

func TestIdleMemoryIsDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b Pool
		one, two := b.Get(smallest), b.Get(smallest)
		b.Put(one)
		time.Sleep(idleFor / 2)
		b.Put(two)
		time.Sleep(idleFor - time.Nanosecond)
		synctest.Wait()
		if kept, _ := b.state(); kept != smallest {
			t.Errorf("%d bytes are kept, want those that came back last", kept)
		}
		time.Sleep(idleFor)
		synctest.Wait()
		if kept, _ := b.state(); kept != 0 {
			t.Errorf("%d bytes are kept", kept)
		}
		b.Put(b.Get(smallest)) // it comes again
		time.Sleep(2 * idleFor)
		synctest.Wait()
		if kept, _ := b.state(); kept != 0 {
			t.Errorf("%d bytes are kept", kept)
		}
	})
}

func TestLittleMemoryIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b Pool
		b.Put(b.Get(idleRoom/2 + 1))
		b.Put(make([]byte, idleRoom/2))
		if kept, _ := b.state(); kept != idleRoom/2+1 {
			t.Errorf("%d bytes are kept", kept)
		}
		time.Sleep(2 * idleFor)
	})
}
