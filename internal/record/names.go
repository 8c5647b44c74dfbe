// Package record is what happened to requests: plain values, and the names of all
// that can happen. The event log, the metrics and the page are projections of them.
//
// It imports no other package of the program, so that whoever counts or shows what
// happened depends on nothing that makes it happen.
package record

// Event is what a line of the event log tells.
type Event string

// The events. Their names are published.
const (
	FailureRecorded   Event = "failure_recorded"    // the upstream refused a request for its media, and that is remembered
	UpstreamError     Event = "upstream_error"      // any other error of the upstream
	ShortCircuited    Event = "short_circuited"     // answered in the upstream's place
	WouldShortCircuit Event = "would_short_circuit" // sent because of dry-run alone
	Substituted       Event = "repaired"            // sent with placeholders for images
	ProbeSent         Event = "probe_sent"          // let through to see whether a failure still holds, without a result
	Recovered         Event = "recovered"           // let through, and the upstream took it
	Bypassed          Event = "forwarded_unseen"    // sent without being inspected
	InternalError     Event = "internal_error"      // a fault of the program's own; the request went through
	Started           Event = "started"
	Stopped           Event = "stopped"
)

// Verdict says what an answer means for the media of its request.
type Verdict string

const (
	// Permanent: the same media will fail again, however often it is sent.
	Permanent Verdict = "permanent"
	// Suspect: likely the media, but known to heal by itself at times. Trust
	// the second failure in a row.
	Suspect Verdict = "suspect"
	// None: not the media's fault, or not for long.
	None Verdict = "none"
)

// ErrorKind is how a request failed. Empty: it did not.
type ErrorKind string

// The kinds of errors.
const (
	HTTP4xx     ErrorKind = "http_4xx"
	HTTP5xx     ErrorKind = "http_5xx"
	StreamError ErrorKind = "stream_error" // inside an answer that began well
	Network     ErrorKind = "network"      // no answer, or it broke off
)

// HTTPError is the kind of an error with this status.
func HTTPError(status int) ErrorKind {
	if status >= 500 {
		return HTTP5xx
	}
	return HTTP4xx
}

// RetryDecision says whether trying again could help, and whose fault an error was.
type RetryDecision string

// The retry decisions.
const (
	RetryHTTP5xx     RetryDecision = "retryable_http_5xx"
	RetryRateLimited RetryDecision = "retryable_rate_limited"
	RetryNetwork     RetryDecision = "retryable_network"
	NoRetryMedia     RetryDecision = "non_retryable_client_media_error"
	NoRetryHTTP4xx   RetryDecision = "non_retryable_http_4xx"
)

// Reply is the form of what the client got.
type Reply string

// The replies.
const (
	ReplyUpstream    Reply = "upstream"   // what the upstream said
	ReplyMessage     Reply = "message"    // a finished assistant message of our own
	ReplyError       Reply = "error"      // a 400 of our own, with the upstream's words
	ReplyAnnotated   Reply = "pointed"    // a 400 with the path of the image before its message
	ReplyDowngraded  Reply = "downgraded" // a 400 in the place of a 5xx
	ReplySubstituted Reply = "repaired"   // what the upstream said to a request with placeholders
)

// Action is what was done to a request or its answer, as the header X-Imagebreaker
// names it.
type Action string

// The actions. Their names are published.
const (
	ActionShortCircuited Action = "short-circuited"
	ActionSubstituted    Action = "repaired"
	ActionAnnotated      Action = "pointed"
	ActionDowngraded     Action = "downgraded"
)

// Bypass is why a request was sent without being inspected. Empty: it was inspected.
type Bypass string

// The reasons for a bypass.
const (
	BodyTooLarge  Bypass = "body_too_large"
	BadEncoding   Bypass = "bad_encoding"
	NotJSON       Bypass = "not_json"
	TooManyValues Bypass = "too_many_values"
	AnsweredEarly Bypass = "answered_early" // the upstream answered before the request was whole
	InternalFault Bypass = "internal_error"
)

// Avoidance is how an upload of known-bad media was avoided.
type Avoidance string

// The ways to avoid an upload. Their names are published as labels of metrics.
const (
	ByShortCircuit Avoidance = "held"       // answered in the upstream's place
	BySubstitution Avoidance = "repaired"   // sent without them
	DryRunOnly     Avoidance = "would_hold" // dry-run sent it as it was
)

// Probe is what came of a probe. Empty: the request probed nothing.
type Probe string

// The results of a probe. Their names are published as labels of metrics.
const (
	ProbeRecovered    Probe = "recovered"    // the images went well
	ProbeFailed       Probe = "failed"       // they failed again
	ProbeInconclusive Probe = "inconclusive" // it proved nothing
)
