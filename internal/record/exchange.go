package record

import (
	"slices"
	"strings"
	"time"
)

// Exchange is what happened to one request of a known API, whatever came of it.
type Exchange struct {
	Mode     string
	Protocol string
	Path     string // the API's own part of it
	Start    time.Time
	Bytes    int64         // of the request's body, as far as it is known
	Added    time.Duration // from the body's end to its way up; 0 if it did not go up, or was bypassed
	Bypass   Bypass
	Request  *Request  // nil: it was not inspected
	Attempts []Attempt // to have it answered, in their order; several if it was sent again
}

// Request is what an inspected request was.
type Request struct {
	Model   string
	Session string // empty: none
	Stream  bool   // the client asked for a stream
	Media   int    // parts, repeated ones counted
}

// Attempt is one try to have a request answered: by the upstream, or in its place.
type Attempt struct {
	// Rejected is the entry that kept the attempt from going; in dry-run, where it
	// went all the same, the one that would have.
	Rejected *Entry
	Sent     bool  // it went to the upstream
	Bytes    int64 // that went

	Placeholders []Placeholder // what they stand for, in the body's order, each once
	Probed       []Entry

	Status    int    // the upstream's; 0 without an answer
	RequestID string // the upstream's
	Error     ErrorKind
	Verdict   Verdict // empty if there was nothing to judge
	Reason    Reason
	Recorded  *Entry // the failure that is remembered now
	Cleared   []Entry

	Reply        Reply // empty: the upstream's answer as it was
	ClientStatus int   // what the client got; 0 if that was another attempt's answer, or it left before
}

// Entry is a remembered failure as an attempt met it.
type Entry struct {
	Signature string   // 16 hex digits
	Items     []string // the sum prefixes of what it is attributed to
	Reason    Reason
	Rejected  int           // requests so far
	Remaining time.Duration // of the cool-off
}

// Placeholder stands for an image that was left out.
type Placeholder struct {
	Sum       string // its prefix
	Signature string // of the failure because of which
	Reason    Reason
	Unsure    bool // the failure may have been another image's
}

// Event is the most telling thing that came of an attempt. Empty: it was a plain
// success, or the client left before there was anything to tell.
func (x *Exchange) Event(a *Attempt) Event {
	switch {
	case a.Rejected != nil && !a.Sent:
		return ShortCircuited
	case a.Rejected != nil:
		return WouldShortCircuit
	case a.Recorded != nil:
		return FailureRecorded
	case len(a.Placeholders) > 0:
		return Substituted
	case len(a.Cleared) > 0:
		return Recovered
	case len(a.Probed) > 0:
		return ProbeSent
	case a.Error != "" && (x.Bypass == "" || a.Error == Network):
		return UpstreamError
	case x.Bypass != "":
		return Bypassed
	}
	return ""
}

// RetryDecision says whether the client's trying again could help. Empty: there was
// no error.
func (x *Exchange) RetryDecision(a *Attempt) RetryDecision {
	group := a.Reason.Group()
	switch {
	case a.Error == "":
		return ""
	case a.Error == Network:
		return RetryNetwork
	case a.Recorded != nil, a.Verdict == Permanent && x.Request != nil && x.Request.Media > 0:
		return NoRetryMedia
	case a.Status == 429, group == GroupRateLimit:
		return RetryRateLimited
	case a.Error == HTTP5xx:
		return RetryHTTP5xx
	case a.Status == 408, group == GroupTransient && strings.HasPrefix(string(a.Reason), "fetch_"):
		return RetryNetwork
	case group == GroupTransient:
		return RetryHTTP5xx
	}
	return NoRetryHTTP4xx
}

// Answered tells whether the upstream was asked and left the attempt no open end.
func (a *Attempt) Answered() bool { return a.Sent && (a.Status != 0 || a.Error != "") }

// Probe is what came of the attempt's probe.
func (a *Attempt) Probe() Probe {
	probed := func(e Entry) bool {
		return slices.ContainsFunc(a.Probed, func(p Entry) bool { return p.Signature == e.Signature })
	}
	switch {
	case len(a.Probed) == 0:
		return ""
	case a.Recorded != nil && probed(*a.Recorded):
		return ProbeFailed
	case slices.ContainsFunc(a.Cleared, probed):
		return ProbeRecovered
	}
	return ProbeInconclusive
}

// Probe is what came of the exchange's probes: what the last one has shown, if any.
func (x *Exchange) Probe() (p Probe) {
	for i := range x.Attempts {
		if of := x.Attempts[i].Probe(); p == "" || of != "" && of != ProbeInconclusive {
			p = of
		}
	}
	return p
}

// Avoided is an upload of known-bad media that did not take place. The zero value is
// an exchange without any.
type Avoided struct {
	How    Avoidance
	Reason Reason
	Bytes  int64 // that the client sent and the upstream did not get; 0 at least
}

// Avoided is what was avoided. What an attempt uploaded in vain before another went
// without it was not.
func (x *Exchange) Avoided() Avoided {
	if len(x.Attempts) == 0 {
		return Avoided{}
	}
	switch a := &x.Attempts[0]; {
	case a.Rejected != nil && a.Sent:
		return Avoided{DryRunOnly, a.Rejected.Reason, x.Bytes}
	case a.Rejected != nil:
		return Avoided{ByShortCircuit, a.Rejected.Reason, x.Bytes}
	case len(a.Placeholders) > 0:
		return Avoided{BySubstitution, a.Placeholders[0].Reason, max(0, x.Bytes-a.Bytes)}
	}
	return Avoided{}
}

// Last is the attempt whose answer the client got; nil if there was none.
func (x *Exchange) Last() *Attempt {
	if len(x.Attempts) == 0 {
		return nil
	}
	return &x.Attempts[len(x.Attempts)-1]
}
