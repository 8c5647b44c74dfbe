package pages

import (
	"net/http"
	"sync"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

const minutesKept = 24 * 60

// Saved is an observer of the proxy that counts avoided uploads, by the minute for a
// day; in dry-run those that would have been avoided. Make one with NewSaved.
type Saved struct {
	now   func() time.Time
	since time.Time

	mu    sync.Mutex
	total amount
	ring  [minutesKept]minute // by the minute's number, modulo its length
}

type amount struct {
	Uploads int64 `json:"uploads"`
	Bytes   int64 `json:"bytes"`
}

func (a *amount) add(bytes int64) {
	a.Uploads++
	a.Bytes += bytes
}

type minute struct {
	number int64 // since 1970
	amount
}

// NewSaved returns a Saved that begins now. A nil clock means time.Now.
func NewSaved(now func() time.Time) *Saved {
	if now == nil {
		now = time.Now
	}
	return &Saved{now: now, since: now()}
}

// Event implements proxy.Observer. It does nothing.
func (s *Saved) Event(eventlog.Event) {}

// Finished implements proxy.Observer.
func (s *Saved) Finished(x record.Exchange) {
	avoided := x.Avoided()
	if avoided.How == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total.add(avoided.Bytes)
	number := s.minute()
	m := &s.ring[number%minutesKept]
	if m.number != number {
		*m = minute{number: number}
	}
	m.add(avoided.Bytes)
}

func (s *Saved) minute() int64 { return s.now().Unix() / 60 }

// savedJSON is what /-/saved serves.
type savedJSON struct {
	Since   string       `json:"since"` // when counting began
	Total   amount       `json:"total"`
	Minutes []minuteJSON `json:"minutes"` // of the last 24 hours those with avoided uploads, the oldest first
}

type minuteJSON struct {
	Ago int64 `json:"minutes_ago"`
	amount
}

// ServeHTTP serves the counts as JSON.
func (s *Saved) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	out := savedJSON{Since: timestamp(s.since), Total: s.total, Minutes: []minuteJSON{}}
	now := s.minute()
	for n := now - minutesKept + 1; n <= now; n++ {
		if m := s.ring[n%minutesKept]; m.number == n && m.Uploads > 0 {
			out.Minutes = append(out.Minutes, minuteJSON{now - n, m.amount})
		}
	}
	s.mu.Unlock()
	writeJSON(w, out)
}
