package bodyio

import (
	"errors"
	"io"
	"sync"
	"time"
)

// Buffer is a body of known length that is being received, or has been. One
// goroutine fills it; readers go through it from its start, each at its own pace,
// and can do so again. Its memory comes from a Pool, to which it goes back when the
// last user is done.
type Buffer struct {
	pool   *Pool
	length int
	now    func() time.Time

	mu    sync.Mutex
	grown sync.Cond
	data  []byte // of that length; nil when it is back in the pool
	n     int    // how much was received
	err   error  // why no more comes; io.EOF at its end
	users int
	whole time.Time // when its end was received
	sent  time.Time // when a reader first had its end
}

// NewBuffer returns an empty buffer, with its caller as its first user. now tells
// the time for Lag.
func NewBuffer(pool *Pool, length int, now func() time.Time) *Buffer {
	b := &Buffer{pool: pool, length: length, now: now, data: pool.Get(length), users: 1}
	b.grown.L = &b.mu
	return b
}

// Whole returns a buffer that has received all of data.
func Whole(pool *Pool, data []byte, now func() time.Time) *Buffer {
	b := NewBuffer(pool, 0, now)
	b.length, b.data = len(data), data
	b.grow(len(data), io.EOF)
	return b
}

// ErrTruncated is of a body that ends before its length.
var ErrTruncated = errors.New("the client broke off")

// fillAtOnce is how much is received before readers see it, in bytes.
const fillAtOnce = 256 << 10

// Fill receives the body from src. The error, ErrTruncated, is for the readers too.
func (b *Buffer) Fill(src io.Reader) error {
	for n := 0; n < b.length; {
		more, err := src.Read(b.data[n:min(b.length, n+fillAtOnce)])
		n += more
		if err != nil && n < b.length {
			b.grow(n, ErrTruncated)
			return ErrTruncated
		}
		b.grow(n, nil)
	}
	b.grow(b.length, io.EOF)
	return nil
}

func (b *Buffer) grow(n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n, b.err = n, err
	if err == io.EOF {
		b.whole = b.now()
	}
	b.grown.Broadcast()
}

// Await waits until more was received than the first n bytes, and returns all that
// was, with an error if no more comes. It must not be kept beyond Release.
func (b *Buffer) Await(n int) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.n <= n && b.err == nil {
		b.grown.Wait()
	}
	return b.data[:min(b.n, len(b.data))], b.err // nothing, for who is no user any more
}

// Len is the length of the whole body, in bytes.
func (b *Buffer) Len() int { return b.length }

// Lag is how long after its end was received a reader had all of it; zero if none
// has.
func (b *Buffer) Lag() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sent.IsZero() {
		return 0
	}
	return b.sent.Sub(b.whole)
}

// Release ends one user's use. The last one gives the memory back.
func (b *Buffer) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.users--; b.users == 0 {
		b.pool.Put(b.data)
		b.data = nil
	}
}

// Reader reads the body from its start, as it is received. It is a user until it is
// closed. Where there is no other user any more, there is nothing to read.
func (b *Buffer) Reader() io.ReadCloser {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.users == 0 {
		return &reader{b: b, closed: true}
	}
	b.users++
	return &reader{b: b}
}

// reader is a reader of a buffer. A transport may close it while it reads.
type reader struct {
	b *Buffer
	n int // how much was read

	mu     sync.Mutex // keeps what is being read from going back to the pool
	closed bool
}

// errClosed is of a body that is read after it was closed.
var errClosed = errors.New("request body is closed")

// Read waits for more of the body.
func (r *reader) Read(p []byte) (int, error) {
	data, err := r.b.Await(r.n)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, errClosed
	}
	if r.n == len(data) {
		return 0, err
	}
	n := copy(p, data[r.n:])
	r.n += n
	if r.n == r.b.length {
		r.b.noteSent()
	}
	return n, nil
}

func (b *Buffer) noteSent() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sent.IsZero() {
		b.sent = b.now()
	}
}

// Close ends the use of the body.
func (r *reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.b.Release()
	}
	return nil
}
