// Package eventlog keeps the record of what the proxy did: one JSON object a
// line in a file that is rotated by size, written off the request's path, and
// readable by its owner only. A log that cannot be written loses events and
// says so, but never slows down or fails a request.
package eventlog

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"imagebreaker/internal/record"
)

const (
	defaultQueue = 1024
	patience     = 5 * time.Second // of Close
)

// Config says where and how events are kept. Only Path is needed.
type Config struct {
	// Path is the file's path. Its folder is made, for the owner only, if there
	// is none. Rotated files lie beside it, with a time in their names.
	Path string
	// Now is the clock of events that have no time. Nil means time.Now.
	Now func() time.Time
	// Warn is told of trouble in one line, once for each kind, by the log's own
	// goroutine. Nil means that nobody is told.
	Warn func(string)
	// Queue is the number of events that may wait to be written; more are
	// dropped. Zero means 1024.
	Queue int
	// MaxSizeMB is the size in megabytes at which a file is rotated. Zero
	// means 10.
	MaxSizeMB int
	// MaxBackups is the number of rotated files kept. Zero means 5.
	MaxBackups int
}

// Log writes events. Its methods may be called from several goroutines, and on
// a nil *Log, which takes every event and writes none.
type Log struct {
	now   func() time.Time
	warn  *warner // the goroutine's
	out   *file   // the goroutine's
	queue chan Event
	done  chan struct{} // closed when the goroutine has ended

	sending sync.RWMutex // held while sending, so that Close can close queue
	closed  bool

	dropped  atomic.Int64
	overflow atomic.Bool // the queue was full once
	hurry    atomic.Bool // Close has given up: drop what waits
}

// Open starts a log. The error is for a path that can never be right: it names
// a folder, or lies in a regular file. All other trouble (a folder that cannot
// be made, a full disk) may pass: it is told to c.Warn, and each event tries
// anew.
func Open(c Config) (*Log, error) {
	if err := checkPath(c.Path); err != nil {
		return nil, err
	}
	warn := newWarner(c.Warn)
	return start(c, warn, newFile(c, warn)), nil
}

func start(c Config, warn *warner, out *file) *Log {
	l := &Log{
		now:   c.Now,
		warn:  warn,
		out:   out,
		queue: make(chan Event, positive(c.Queue, defaultQueue)),
		done:  make(chan struct{}),
	}
	if l.now == nil {
		l.now = time.Now
	}
	go l.run()
	return l
}

// Write hands e over for writing. It never blocks and never fails: if the queue
// is full or the log closed, e is dropped and counted. What e's pointers point
// at must not change any more.
func (l *Log) Write(e Event) {
	if l == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = Time{l.now()}
	}
	e.detach()
	l.sending.RLock()
	defer l.sending.RUnlock()
	if l.closed {
		l.dropped.Add(1)
		return
	}
	select {
	case l.queue <- e:
	default:
		l.dropped.Add(1)
		l.overflow.Store(true)
	}
}

// Dropped returns the number of events lost so far, because the queue was full,
// the file refused them, or the log was closed.
func (l *Log) Dropped() int {
	if l == nil {
		return 0
	}
	return int(l.dropped.Load())
}

// Close writes what waits and ends the log. It gives up after five seconds,
// with an error, if the disk does not take the events. To close a log again is
// no error.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.stopTaking()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-l.done:
		return nil
	case <-late.C:
		l.hurry.Store(true)
		return fmt.Errorf("close event log %s: not done after %v, %d events still wait", l.out.path, patience, len(l.queue))
	}
}

func (l *Log) stopTaking() {
	l.sending.Lock()
	defer l.sending.Unlock()
	if !l.closed {
		l.closed = true
		close(l.queue)
	}
}

// run writes events until the queue is closed and empty.
func (l *Log) run() {
	defer close(l.done)
	defer l.out.close()
	for e := range l.queue {
		if l.overflow.Load() {
			l.warn.once("queue", "events come faster than they can be written; some are dropped")
		}
		if e.Event == record.Stopped {
			e.Dropped = max(e.Dropped, l.Dropped())
		}
		if l.hurry.Load() || !l.out.put(&e) {
			l.dropped.Add(1)
		}
	}
}

func positive(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}
