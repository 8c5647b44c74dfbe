// Package eventlog writes and reads the log of what the proxy did: one JSON object
// per line, in a file that is rotated by size and accessible to its owner only. It is
// written asynchronously. A log that cannot be written drops events and says so, but
// never slows down or fails a request.
package eventlog

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"imagebreaker/internal/record"
)

const (
	defaultQueue = 1024
	closeTimeout = 5 * time.Second
)

// Config says where and how events are written. Only Path is needed.
type Config struct {
	// Path is the file's path. Its directory is created, for the owner only, if it
	// does not exist. Rotated files lie beside it, with a time in their names.
	Path string
	// Now is the clock for events that have no time. Nil means time.Now.
	Now func() time.Time
	// Warn is called with one line for the first problem of each kind, by the log's
	// own goroutine. Nil means that problems are not reported.
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

// Log writes events. Its methods may be called by several goroutines, and on a nil
// *Log, which discards every event.
type Log struct {
	now   func() time.Time
	warn  *warner // for the goroutine only
	out   *file   // for the goroutine only
	queue chan Event
	done  chan struct{} // closed when the goroutine has ended

	sending sync.RWMutex // read-locked while sending, so that Close can close queue
	closed  bool

	dropped  atomic.Int64
	overflow atomic.Bool // the queue was full at least once
	aborted  atomic.Bool // Close has timed out: drop what is queued
}

// Open starts a log. The error is for a path that can never work: it names a
// directory, or lies in a regular file. All other problems (a directory that cannot be
// created, a full disk) may be temporary: they are reported to c.Warn, and each event
// tries again.
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
		queue: make(chan Event, cmp.Or(c.Queue, defaultQueue)),
		done:  make(chan struct{}),
	}
	if l.now == nil {
		l.now = time.Now
	}
	go l.run()
	return l
}

// Write queues e for writing. It never blocks and never fails: if the queue is full or
// the log closed, e is dropped and counted. What e's pointers point to must not change
// any more.
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

// Dropped returns the number of events lost so far, because the queue was full, the
// file could not be written, or the log was closed.
func (l *Log) Dropped() int {
	if l == nil {
		return 0
	}
	return int(l.dropped.Load())
}

// Close writes what is queued and closes the log. It gives up after five seconds, with
// an error, if the disk does not take the events. Closing a log again is not an error.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.closeQueue()
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case <-l.done:
		return nil
	case <-timeout.C:
		l.aborted.Store(true)
		return fmt.Errorf("close event log %s: not done after %v, %d events still wait", l.out.path, closeTimeout, len(l.queue))
	}
}

func (l *Log) closeQueue() {
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
		if l.aborted.Load() || !l.out.put(&e) {
			l.dropped.Add(1)
		}
	}
}

// warner reports the first problem of each kind. A disk that stays full must not fill
// the terminal, too.
type warner struct {
	report   func(string)
	reported map[string]bool
}

func newWarner(report func(string)) *warner {
	return &warner{report: report, reported: make(map[string]bool)}
}

func (w *warner) once(kind, line string) {
	if w.reported[kind] || w.report == nil {
		return
	}
	w.reported[kind] = true
	w.report("event log: " + line)
}
