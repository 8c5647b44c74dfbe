package pages

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

const (
	maxListeners = 16               // a browser keeps six connections to one place, so no person has more
	maxWaiting   = 256              // events for one listener
	maxRecent    = 50               // events that a new listener gets first
	keepAlive    = 15 * time.Second // proxies give up what is silent for longer
	patience     = 5 * time.Second  // with a listener that takes nothing
)

// Live shows events as they happen, as server-sent events: each is the record
// that the log gets. Make one with NewLive.
//
// A listener that is too slow loses events and is told how many. It never keeps
// a request waiting.
type Live struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
	recent    []message
	last      int
	closed    chan struct{}
	close     func()
	boot      int64 // tells this program's events from those of the one before
}

type message struct {
	id   string
	data []byte
}

type listener struct {
	queue chan message
	lost  atomic.Int64
}

// NewLive returns a Live that nobody listens to.
func NewLive() *Live {
	l := &Live{listeners: map[*listener]struct{}{}, closed: make(chan struct{}), boot: time.Now().UnixMilli()}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// Close ends all listening, now and later: a page that is open must not keep the
// program from ending.
func (l *Live) Close() { l.close() }

// Finished does nothing: there is nothing to show that is no event.
func (l *Live) Finished(record.Exchange) {}

// Event shows an event.
func (l *Live) Event(e eventlog.Event) {
	m := message{data: e.JSON()}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	m.id = fmt.Sprintf("%d-%d", l.boot, l.last)
	if len(l.recent) == maxRecent {
		l.recent = append(l.recent[:0], l.recent[1:]...)
	}
	l.recent = append(l.recent, m)
	for to := range l.listeners {
		select {
		case to.queue <- m:
		default:
			to.lost.Add(1)
		}
	}
}

// join adds a listener, who gets what was last; nil if there are too many.
func (l *Live) join() *listener {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.listeners) >= maxListeners {
		return nil
	}
	me := &listener{queue: make(chan message, maxWaiting)}
	for _, m := range l.recent {
		me.queue <- m
	}
	l.listeners[me] = struct{}{}
	return me
}

func (l *Live) leave(me *listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.listeners, me)
}

// ServeHTTP tells one listener everything until it leaves.
func (l *Live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return
	}
	me := l.join()
	if me == nil {
		w.Header().Set("Retry-After", "10")
		writeError(w, http.StatusServiceUnavailable, "too many pages are open")
		return
	}
	defer l.leave(me)
	w.Header().Set("Content-Type", "text/event-stream")
	l.tell(me, &teller{w: w, control: http.NewResponseController(w)}, r)
}

func (l *Live) tell(me *listener, to *teller, r *http.Request) {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	to.say("retry: 2000\n\n")
	for to.err == nil {
		select {
		case <-l.closed:
			return
		case <-r.Context().Done():
			return
		case m := <-me.queue:
			to.say("id: %s\ndata: %s\n\n", m.id, m.data)
		case <-tick.C:
			to.say(": still here\n\n")
		}
		if n := me.lost.Swap(0); n > 0 {
			to.say("event: lost\ndata: {\"lost\":%d}\n\n", n)
		}
	}
}

// teller writes to a listener, at once and not for ever.
type teller struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (t *teller) say(format string, args ...any) {
	_ = t.control.SetWriteDeadline(time.Now().Add(patience)) // there may be none to set
	if _, t.err = fmt.Fprintf(t.w, format, args...); t.err == nil {
		t.err = t.control.Flush()
	}
}
