package report

import (
	"math"
	"time"

	"imagebreaker/eventlog"
)

// TokensEach is what a media part is estimated at in tokens: what Anthropic's
// API scales a large image down to, on most models.
const TokensEach = 1600

// TokensRule says how tokens are estimated, and how far that can be trusted.
const TokensRule = "1,600 for each media part, which is the size that Anthropic's API scales large images down to on most of its models; " +
	"small images have fewer tokens, some models take about three times as many, and text is not counted"

// Saved is what requests that were not sent would have carried.
type Saved struct {
	Requests int64 `json:"requests"`
	Bytes    int64 `json:"bytes"`       // of their bodies, as the clients sent them
	Parts    int64 `json:"media_parts"` // in them, repeated ones counted
	Tokens   int64 `json:"estimated_media_tokens"`
}

func (s *Saved) add(e *eventlog.Event) {
	s.Requests = plus(s.Requests, 1)
	s.Bytes = plus(s.Bytes, e.RequestBytes)
	s.Parts = plus(s.Parts, int64(e.ImagesTotal))
	s.Tokens = plus(s.Tokens, tokens(e.ImagesTotal))
}

// Repaired is what was left out of requests that were sent. How many bytes that
// was is not in the log.
type Repaired struct {
	Requests int64 `json:"requests"`
	Images   int64 `json:"images"` // different ones in each request
	Tokens   int64 `json:"estimated_media_tokens"`
}

func (r *Repaired) add(e *eventlog.Event) {
	n := len(e.Images)
	r.Requests, r.Images, r.Tokens = plus(r.Requests, 1), plus(r.Images, int64(n)), plus(r.Tokens, tokens(n))
}

// tokens is what n media parts are estimated at.
func tokens(n int) int64 { return plus(0, int64(n)) * TokensEach }

// plus adds what a log says to a sum. Nothing that stands there can make it
// less, or overflow.
func plus(sum, n int64) int64 {
	const most = math.MaxInt64 / TokensEach // n may be multiplied yet
	n = min(max(0, n), most)
	return min(sum, math.MaxInt64-n) + n
}

// Stats is what events come to. It stays small however long the log is.
type Stats struct {
	From   *time.Time `json:"from"` // of the first event; nil without any
	To     *time.Time `json:"to"`
	Events int64      `json:"events"`

	Held      Saved    `json:"held"`
	Repaired  Repaired `json:"repaired"`
	WouldHold Saved    `json:"would_hold"` // in dry-run: what was sent, and would not have been

	Failures  int64          `json:"failures_recorded"`
	Probes    int64          `json:"probes_without_result"`
	Recovered int64          `json:"recovered"`
	Errors    UpstreamErrors `json:"other_upstream_errors"`
	Unseen    int64          `json:"forwarded_unseen"`
	Faults    int64          `json:"internal_errors"`
	Lost      int64          `json:"events_lost"` // which the proxy could not write
	Damaged   int64          `json:"damaged_lines"`

	ByReason  Groups `json:"by_reason"`
	ByModel   Groups `json:"by_model"`
	BySession Groups `json:"by_session"`

	Rule string `json:"estimated_media_tokens_rule"`
}

// NewStats returns Stats of no events.
func NewStats() *Stats { return &Stats{Rule: TokensRule} }

// UpstreamErrors counts errors of the upstream that were not recorded as an
// image's.
type UpstreamErrors struct {
	Client  int64 `json:"http_4xx"`
	Server  int64 `json:"http_5xx"`
	Stream  int64 `json:"stream_error"`
	Network int64 `json:"network"`
	Other   int64 `json:"other"`
}

func (u *UpstreamErrors) add(kind string) {
	switch kind {
	case "http_4xx":
		u.Client++
	case "http_5xx":
		u.Server++
	case "stream_error":
		u.Stream++
	case "network":
		u.Network++
	default:
		u.Other++
	}
}

// Add counts e.
func (s *Stats) Add(e *eventlog.Event) {
	s.Events++
	if at := e.Time; s.From == nil || at.Before(*s.From) {
		s.From = &at
	}
	if at := e.Time; s.To == nil || at.After(*s.To) {
		s.To = &at
	}
	switch e.Event {
	case "short_circuited":
		s.Held.add(e)
	case "would_short_circuit":
		s.WouldHold.add(e)
	case "repaired":
		s.Repaired.add(e)
	case "failure_recorded":
		s.Failures++
	default:
		s.count(e)
		return
	}
	s.ByReason.add(e.Reason, e)
	s.ByModel.add(e.Model, e)
	s.BySession.add(e.SessionID, e)
}

// count counts what is no image's business.
func (s *Stats) count(e *eventlog.Event) {
	switch e.Event {
	case "probe_sent":
		s.Probes++
	case "recovered":
		s.Recovered++
	case "upstream_error":
		s.Errors.add(e.ErrorKind)
	case "forwarded_unseen":
		s.Unseen++
	case "internal_error":
		s.Faults++
	case "stopped":
		s.Lost = plus(s.Lost, int64(e.Dropped))
	}
}
