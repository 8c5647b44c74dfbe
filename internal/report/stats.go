package report

import (
	"math"
	"strings"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

// tokensEach is what a media part is estimated at in tokens: what Anthropic's
// API scales a large image down to, on most models.
const tokensEach = 1600

// tokensRule says how tokens are estimated, and how far that can be trusted, in
// lines for a page.
const tokensRule = `1,600 for each media part, which is the size that
Anthropic's API scales large images down to on most of its models; small images
have fewer tokens, some models take about three times as many, and text is not
counted`

// Stats is what events come to. It stays small however long the log is.
type Stats struct {
	From   *time.Time `json:"from"` // of the first event; nil without any
	To     *time.Time `json:"to"`
	Events int64      `json:"events"`

	Held      Saved    `json:"held"`
	Repaired  Repaired `json:"repaired"`
	WouldHold Saved    `json:"would_hold"` // in dry-run: what was sent, and would not have been

	Failures       int64                      `json:"failures_recorded"`
	Probes         int64                      `json:"probes_without_result"`
	Recovered      int64                      `json:"recovered"`
	Errors         map[record.ErrorKind]int64 `json:"other_upstream_errors"` // by their kind; not those that were recorded as an image's
	Bypassed       int64                      `json:"forwarded_unseen"`
	InternalErrors int64                      `json:"internal_errors"`
	Lost           int64                      `json:"events_lost"` // which the proxy could not write
	Damaged        int64                      `json:"damaged_lines"`

	ByReason  Groups `json:"by_reason"`
	ByModel   Groups `json:"by_model"`
	BySession Groups `json:"by_session"`

	Rule string `json:"estimated_media_tokens_rule"`
}

// Saved is what requests that were not sent would have carried.
type Saved struct {
	Requests int64 `json:"requests"`
	Bytes    int64 `json:"bytes"`       // of their bodies, as the clients sent them
	Parts    int64 `json:"media_parts"` // in them, repeated ones counted
	Tokens   int64 `json:"estimated_media_tokens"`
}

// Repaired is what was left out of requests that were sent. How many bytes that
// was is not in the log.
type Repaired struct {
	Requests int64 `json:"requests"`
	Images   int64 `json:"images"` // different ones in each request
	Tokens   int64 `json:"estimated_media_tokens"`
}

// NewStats returns Stats of no events.
func NewStats() *Stats {
	return &Stats{
		Errors: map[record.ErrorKind]int64{record.HTTP4xx: 0, record.HTTP5xx: 0, record.StreamError: 0, record.Network: 0, "other": 0},
		Rule:   strings.ReplaceAll(tokensRule, "\n", " "),
	}
}

// Add counts e.
func (s *Stats) Add(e *eventlog.Event) {
	s.Events++
	if at := e.Time.Time; s.From == nil || at.Before(*s.From) {
		s.From = &at
	}
	if at := e.Time.Time; s.To == nil || at.After(*s.To) {
		s.To = &at
	}
	s.count(e)
	if g := groupOf(e); g != (Group{}) {
		s.ByReason.add(string(e.Reason), g)
		s.ByModel.add(e.Model, g)
		s.BySession.add(e.SessionID, g)
	}
}

func (s *Stats) count(e *eventlog.Event) {
	switch e.Event {
	case record.ShortCircuited:
		s.Held.add(e)
	case record.WouldShortCircuit:
		s.WouldHold.add(e)
	case record.Substituted:
		s.Repaired.add(e)
	case record.FailureRecorded:
		s.Failures++
	case record.ProbeSent:
		s.Probes++
	case record.Recovered:
		s.Recovered++
	case record.UpstreamError:
		kind := e.ErrorKind
		if _, known := s.Errors[kind]; !known {
			kind = "other"
		}
		s.Errors[kind]++
	case record.Bypassed:
		s.Bypassed++
	case record.InternalError:
		s.InternalErrors++
	case record.Stopped:
		s.Lost = plus(s.Lost, int64(e.Dropped))
	}
}

func (s *Saved) add(e *eventlog.Event) {
	s.Requests++
	s.Bytes = plus(s.Bytes, e.RequestBytes)
	s.Parts = plus(s.Parts, int64(e.ImagesTotal))
	s.Tokens = plus(s.Tokens, tokens(e.ImagesTotal))
}

func (r *Repaired) add(e *eventlog.Event) {
	r.Requests++
	r.Images += int64(len(e.Images))
	r.Tokens = plus(r.Tokens, tokens(len(e.Images)))
}

// tokens is what n media parts are estimated at.
func tokens(n int) int64 { return plus(0, int64(n)) * tokensEach }

// plus adds what a log says to a sum. Nothing that stands there can make it
// less, or overflow.
func plus(sum, n int64) int64 {
	const most = math.MaxInt64 / tokensEach // n may be multiplied yet
	n = min(max(0, n), most)
	return min(sum, math.MaxInt64-n) + n
}
