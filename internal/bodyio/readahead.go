package bodyio

import (
	"io"
	"sync"
	"time"
)

// ReadAhead is a body that is read ahead of its reader, so that all of it may be
// looked at before the reader has any.
type ReadAhead struct {
	src io.ReadCloser
	max int

	mu    sync.Mutex
	moved sync.Cond // something was read, taken or ended
	buf   []byte    // read ahead
	taken int       // of buf, by Read
	err   error     // the source's end
	done  bool      // nobody reads any more
}

// NewReadAhead begins to read at most max bytes ahead.
func NewReadAhead(src io.ReadCloser, max int) *ReadAhead {
	s := &ReadAhead{src: src, max: max}
	s.moved.L = &s.mu
	go s.fill()
	return s
}

func (s *ReadAhead) fill() {
	chunk := make([]byte, 32<<10)
	for {
		n, err := s.src.Read(chunk)
		s.mu.Lock()
		s.buf = append(s.buf, chunk[:n]...)
		s.err = err
		s.moved.Broadcast()
		for s.err == nil && len(s.buf)-s.taken >= s.max && !s.done {
			s.moved.Wait()
		}
		if s.done && s.err == nil {
			s.err = io.ErrClosedPipe
		}
		over := s.err != nil
		s.mu.Unlock()
		if over {
			return
		}
	}
}

// Whole waits for the end of the body and returns all of it, without taking
// it. ok is false if it does not end within the bound or the time, or breaks off.
func (s *ReadAhead) Whole(wait time.Duration) (body []byte, ok bool) {
	late := false
	timer := time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		late = true
		s.moved.Broadcast()
	})
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && len(s.buf) < s.max && !late {
		s.moved.Wait()
	}
	return s.buf, s.err == io.EOF
}

// Read takes what was read ahead, and waits for more.
func (s *ReadAhead) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.taken == len(s.buf) && s.err == nil {
		s.moved.Wait()
	}
	n := copy(p, s.buf[s.taken:])
	s.taken += n
	if s.taken == len(s.buf) {
		s.buf, s.taken = s.buf[:0], 0
		if n == 0 {
			return 0, s.err
		}
	}
	s.moved.Broadcast()
	return n, nil
}

// Close ends the reading ahead.
func (s *ReadAhead) Close() error {
	s.mu.Lock()
	s.done = true
	s.moved.Broadcast()
	s.mu.Unlock()
	return s.src.Close()
}
