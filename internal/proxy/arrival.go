package proxy

import (
	"errors"
	"io"
	"sync"
	"time"

	"imagebreaker/internal/protocol"
)

// arrival is a long body on its way from the client. One takes it in; others
// follow, each at its own pace. Its memory is lent, until the last user is done.
type arrival struct {
	lender *bodies
	length int
	now    func() time.Time

	mu    sync.Mutex
	more  sync.Cond
	body  []byte // of that length; nil when it was given back
	n     int    // how much of it is there
	err   error  // why no more comes; io.EOF at its end
	users int
	whole time.Time // when its end was there
	gone  time.Time // when a follower first had its end
}

// newArrival has one user, its caller.
func newArrival(lender *bodies, length int, now func() time.Time) *arrival {
	a := &arrival{lender: lender, length: length, now: now, body: lender.get(length), users: 1}
	a.more.L = &a.mu
	return a
}

// errBrokeOff is of a body that ends before its length.
var errBrokeOff = errors.New("the client broke off")

// readAtOnce is how much is taken in before others see it, in bytes.
const readAtOnce = 256 << 10

// receive takes the body in, which h sees beside.
func (a *arrival) receive(src io.Reader, h *protocol.Hasher) error {
	var looking sync.WaitGroup
	looking.Go(func() { a.show(h) })
	defer looking.Wait()
	return a.take(src)
}

// take takes the body in.
func (a *arrival) take(src io.Reader) error {
	for n := 0; n < a.length; {
		more, err := src.Read(a.body[n:min(a.length, n+readAtOnce)])
		n += more
		if err != nil && n < a.length {
			a.came(n, errBrokeOff)
			return errBrokeOff
		}
		a.came(n, nil)
	}
	a.came(a.length, io.EOF)
	return nil
}

func (a *arrival) came(n int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n, a.err = n, err
	if err == io.EOF {
		a.whole = a.now()
	}
	a.more.Broadcast()
}

// beyond waits until there is more of the body than its first n bytes, and
// returns all that is there, with an error if no more comes.
func (a *arrival) beyond(n int) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.n <= n && a.err == nil {
		a.more.Wait()
	}
	return a.body[:min(a.n, len(a.body))], a.err // nothing, for who is no user any more
}

// show has h see the body while it comes.
func (a *arrival) show(h *protocol.Hasher) {
	var body []byte
	for err := error(nil); err == nil; {
		body, err = a.beyond(len(body))
		h.Advance(body)
	}
}

// lag is how long after its end had come a follower had all of it; zero if none
// has.
func (a *arrival) lag() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone.IsZero() {
		return 0
	}
	return a.gone.Sub(a.whole)
}

// release ends one user's use. The last one gives the memory back.
func (a *arrival) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.users--; a.users == 0 {
		a.lender.put(a.body)
		a.body = nil
	}
}

// reader reads the body from its start, as it comes. It is a user until it is
// closed. Where there is no other user any more, there is nothing to read.
func (a *arrival) reader() io.ReadCloser {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.users == 0 {
		return &follower{a: a, closed: true}
	}
	a.users++
	return &follower{a: a}
}

// follower is a reader of an arrival. A transport may close it while it reads.
type follower struct {
	a *arrival
	n int // how much was read

	mu     sync.Mutex // guards what is read from being given back
	closed bool
}

// Read waits for more of the body.
func (f *follower) Read(p []byte) (int, error) {
	body, err := f.a.beyond(f.n)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, errClosed
	}
	if f.n == len(body) {
		return 0, err
	}
	n := copy(p, body[f.n:])
	f.n += n
	if f.n == f.a.length {
		f.a.had()
	}
	return n, nil
}

// errClosed is of a body that is read after it was closed.
var errClosed = errors.New("request body is closed")

// had notes that a follower has had all there is.
func (a *arrival) had() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone.IsZero() {
		a.gone = a.now()
	}
}

// Close ends the use of the body.
func (f *follower) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.closed = true
		f.a.release()
	}
	return nil
}
