package pages

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
	"imagebreaker/sse"
)

const (
	maxSubscribers = 16               // browsers keep six connections to one host, so no person has more
	maxQueued      = 256              // events for one subscriber
	maxRecent      = 50               // events that a new subscriber gets first
	keepAlive      = 15 * time.Second // intermediaries close connections that are idle for longer
	writeTimeout   = 5 * time.Second
)

// Live is an observer of the proxy that publishes its events as server-sent events,
// each with the JSON of its line in the log. Make one with NewLive.
//
// A subscriber that is too slow loses events and is told how many. It never blocks a
// request.
type Live struct {
	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
	recent      [][]byte // frames
	lastID      int
	boot        int64 // tells the ids of this process from those of the one before
	closed      chan struct{}
	close       func()
}

// subscriber is an open page.
type subscriber struct {
	frames chan []byte
	lost   atomic.Int64
}

// NewLive returns a Live without subscribers.
func NewLive() *Live {
	l := &Live{subscribers: map[*subscriber]struct{}{}, closed: make(chan struct{}), boot: time.Now().UnixMilli()}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// Close ends all subscriptions, present and future: an open page must not keep the
// program from ending.
func (l *Live) Close() { l.close() }

// Finished implements proxy.Observer. It does nothing: whatever there is to show is
// an event.
func (l *Live) Finished(record.Exchange) {}

// Event implements proxy.Observer.
func (l *Live) Event(e eventlog.Event) {
	line := e.JSON()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastID++
	frame := sse.Append(fmt.Appendf(nil, "id: %d-%d\n", l.boot, l.lastID), "", line)
	l.recent = append(l.recent, frame)
	l.recent = l.recent[max(0, len(l.recent)-maxRecent):]
	for s := range l.subscribers {
		select {
		case s.frames <- frame:
		default:
			s.lost.Add(1)
		}
	}
}

// subscribe adds a subscriber, which gets the recent events first. It returns nil if
// there are too many.
func (l *Live) subscribe() *subscriber {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.subscribers) >= maxSubscribers {
		return nil
	}
	s := &subscriber{frames: make(chan []byte, maxQueued)}
	for _, frame := range l.recent {
		s.frames <- frame
	}
	l.subscribers[s] = struct{}{}
	return s
}

func (l *Live) unsubscribe(s *subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.subscribers, s)
}

// ServeHTTP streams the events to one subscriber until it leaves.
func (l *Live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	s := l.subscribe()
	if s == nil {
		w.Header().Set("Retry-After", "10")
		writeError(w, http.StatusServiceUnavailable, "too many pages are open")
		return
	}
	defer l.unsubscribe(s)
	control := http.NewResponseController(w)
	l.stream(s, r, func(frame []byte) error {
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer supports one
		if _, err := w.Write(frame); err != nil {
			return err
		}
		return control.Flush()
	})
}

func (l *Live) stream(s *subscriber, r *http.Request, write func(frame []byte) error) {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	err := write([]byte("retry: 2000\n\n"))
	for err == nil {
		select {
		case <-l.closed:
			return
		case <-r.Context().Done():
			return
		case frame := <-s.frames:
			err = write(frame)
		case <-tick.C:
			err = write([]byte(": still here\n\n"))
		}
		if n := s.lost.Swap(0); n > 0 && err == nil {
			err = write(sse.Append(nil, "lost", fmt.Appendf(nil, `{"lost":%d}`, n)))
		}
	}
}
