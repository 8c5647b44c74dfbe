package pages

import (
	"net/http"
	"sync"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

// minutesKept is a day.
const minutesKept = 24 * 60

// Saved counts, minute by minute for a day, the uploads that did not take place;
// in dry-run those that would not have. Make one with
// NewSaved.
type Saved struct {
	now   func() time.Time
	since time.Time

	mu    sync.Mutex
	total amount
	ring  [minutesKept]minute
}

type amount struct {
	Uploads int64 `json:"uploads"`
	Bytes   int64 `json:"bytes"`
}

func (a *amount) add(bytes int64) {
	a.Uploads++
	a.Bytes += bytes
}

// minute is what a place of the ring holds; places are used anew each day.
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

// Event does nothing.
func (s *Saved) Event(eventlog.Event) {}

// Finished counts what a request has saved.
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

// report is what /-/saved says.
type report struct {
	Since   string         `json:"since"`   // when counting began
	Total   amount         `json:"total"`   // since then
	Minutes []minuteReport `json:"minutes"` // of the last 24 hours those in which something was saved, the oldest first
}

type minuteReport struct {
	Ago int64 `json:"minutes_ago"`
	amount
}

func (s *Saved) report() report {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := report{Since: stamp(s.since), Total: s.total, Minutes: []minuteReport{}}
	now := s.minute()
	for n := now - minutesKept + 1; n <= now; n++ {
		if m := s.ring[n%minutesKept]; m.number == n && m.Uploads > 0 {
			out.Minutes = append(out.Minutes, minuteReport{now - n, m.amount})
		}
	}
	return out
}

// ServeHTTP shows the counts.
func (s *Saved) ServeHTTP(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.report()) }
