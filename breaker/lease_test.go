package breaker

import (
	"sync"
	"testing"
	"time"
)

// However a lease ends first, what comes later changes nothing.
func TestLeaseEndsOnce(t *testing.T) {
	t.Parallel()
	ends := map[string]func(*Lease[string]) bool{
		"fail":    func(l *Lease[string]) bool { _, ok := l.Fail(blame(1)); return ok },
		"succeed": func(l *Lease[string]) bool { return len(l.Succeed()) > 0 },
		"release": func(l *Lease[string]) bool { l.Release(); return false },
	}
	for first, end := range ends {
		for second, again := range ends {
			b, k := setUp(Config[string]{})
			sent(t, b, request(1)).Fail(blame(1))
			k.advance(time.Minute)
			probe := sent(t, b, request(1))
			end(probe)
			before := b.Entries()
			unverified := len(b.Unverified("s", items(1)))
			k.advance(time.Second)
			if again(probe) {
				t.Errorf("%s after %s did something", second, first)
			}
			after := b.Entries()
			if len(before) != len(after) || len(after) > 0 && (before[0].Since != after[0].Since || before[0].State != after[0].State) {
				t.Errorf("%s after %s: %+v became %+v", second, first, before, after)
			}
			if n := len(b.Unverified("s", items(1))); n != unverified {
				t.Errorf("%s after %s: %d unverified, %d before", second, first, n, unverified)
			}
		}
	}
}

// Of goroutines that end a lease at the same time, one does.
func TestLeaseEndsOnceInParallel(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	l := sent(t, b, request(1))
	var ending sync.WaitGroup
	recorded := make(chan bool, 64)
	for range cap(recorded) {
		ending.Go(func() {
			_, ok := l.Fail(blame(1))
			recorded <- ok
		})
	}
	ending.Wait()
	close(recorded)
	n := 0
	for ok := range recorded {
		if ok {
			n++
		}
	}
	if n != 1 {
		t.Errorf("recorded %d times", n)
	}
}

func TestNilLease(t *testing.T) {
	t.Parallel()
	var l *Lease[string]
	if _, ok := l.Fail(blame(1)); ok || len(l.Succeed()) > 0 || len(l.Probed()) > 0 {
		t.Error("it did something")
	}
	l.Release()
}

// Of a request that nobody has said anything of, the end says nothing either.
func TestUnboundLease(t *testing.T) {
	t.Parallel()
	b, _ := setUp(Config[string]{})
	if _, ok := b.AcquireUnseen("s").Fail(blame(1)); ok || b.store.Len() > 0 {
		t.Error("a failure of nothing is remembered")
	}
	b.AcquireUnseen("").Succeed()
}

// Peek says what Acquire would, and a later Acquire finds everything as it was.
func TestPeekChangesNothing(t *testing.T) {
	t.Parallel()
	b, k := setUp(Config[string]{})
	sent(t, b, request(1)).Fail(blame(1))
	k.advance(20 * time.Second)
	if d := b.Peek(request(1)); len(d.Open) != 1 || d.Open[0].Remaining != 10*time.Second {
		t.Errorf("open: %+v", d)
	}
	if d := b.Peek(request(1)); d.Open[0].Remaining != 10*time.Second || d.Open[0].Rejected != 0 {
		t.Errorf("peeking has changed it: %+v", d.Open[0])
	}
	k.advance(10 * time.Second)
	for range 3 {
		if d := b.Peek(request(1)); len(d.Open) != 0 || len(d.HalfOpen) != 1 {
			t.Errorf("half-open: %+v", d)
		}
	}
	sent(t, b, request(1)) // the probe is still to be had
	if d := b.Peek(request(1)); len(d.Open) != 1 || d.Open[0].State != Probing {
		t.Errorf("probing: %+v", d)
	}
}
