package proxy

import (
	"net/http"
	"strings"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/imagehash"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
)

// outcome is what has come of an exchange so far.
type outcome struct {
	open         bool // the ticket is still ours
	logged       bool
	status       int // the upstream's; 0 without an answer
	clientStatus int
	requestID    string
	errorKind    string
	verdict      failure.Verdict
	reason       string
	reply        string
	held         *breaker.Entry[memo] // answered by us
	failed       *breaker.Entry[memo] // recorded
	cleared      []breaker.Entry[memo]
}

// Values of error_kind.
const (
	http4xx     = "http_4xx"
	http5xx     = "http_5xx"
	streamError = "stream_error"
	network     = "network"
)

func httpKind(status int) string {
	if status >= 500 {
		return http5xx
	}
	return http4xx
}

// log writes the exchange's one event: the most telling thing that came of it.
// Nothing is written for a plain success.
func (x *exchange) log() {
	o := &x.outcome
	if o.logged {
		return
	}
	var entry *breaker.Entry[memo]
	var event string
	switch {
	case o.held != nil:
		event, entry = "short_circuited", o.held
	case x.replayed():
		event, entry = "would_short_circuit", &x.decision.Held[0]
	case o.failed != nil:
		event, entry = "failure_recorded", o.failed
	case len(x.gone) > 0:
		event = "repaired"
	case len(o.cleared) > 0:
		event, entry = "recovered", &o.cleared[0]
	case len(x.decision.Probed) > 0:
		event, entry = "probe_sent", &x.decision.Probed[0]
	case o.errorKind != "" && (x.unseen == "" || o.errorKind == network):
		event = "upstream_error"
	case x.unseen != "":
		event = "forwarded_unseen"
	default:
		return
	}
	o.logged = true
	e := x.event(event)
	switch {
	case entry != nil:
		x.describe(&e, *entry)
	case event == "repaired":
		x.describeRepair(&e)
	}
	x.p.emit(e)
}

// event has the fields that every exchange has.
func (x *exchange) event(name string) eventlog.Event {
	o := &x.outcome
	e := eventlog.Event{
		Event: name, Mode: string(x.p.Mode), Protocol: x.api.Name(), Path: protocol.OwnPath(x.api, x.in),
		SessionID: "none", Verdict: string(o.verdict), Reason: o.reason,
		Status: o.status, ErrorKind: o.errorKind, RetryDecision: x.retryDecision(),
		Reply: o.reply, ClientStatus: o.clientStatus,
		RequestBytes: x.bytes(), Duration: x.p.Now().Sub(x.start), RequestID: o.requestID,
	}
	if e.Reply == "" {
		e.Reply = "upstream"
	}
	if x.req == nil {
		e.Reason = x.unseen
		return e
	}
	stream := x.req.Stream != ""
	e.Model, e.Stream, e.ImagesTotal = x.req.Model, &stream, len(x.req.Images)
	if x.req.Session != "" {
		e.SessionID = x.req.Session
	}
	return e
}

// describe adds what is known of the entry that the event is about.
func (x *exchange) describe(e *eventlog.Event, entry breaker.Entry[memo]) {
	e.Signature = entry.Signature.String()
	for _, it := range entry.Culprits {
		e.Images = append(e.Images, imagehash.Sum(it).Log())
	}
	if e.Verdict == "" {
		e.Verdict, e.Reason = string(failure.Permanent), entry.Info.reason
	}
	if x.replayed() || x.outcome.held != nil {
		left := entry.Remaining
		e.HeldCount, e.CoolOffRemaining = entry.Held, &left
	}
}

// retryDecision says whether trying again could help, and whose fault it was.
func (x *exchange) retryDecision() string {
	o := &x.outcome
	group := failure.GroupOf(o.reason)
	switch {
	case o.errorKind == "":
		return ""
	case o.errorKind == network:
		return "retryable_network"
	case o.failed != nil || o.verdict == failure.Permanent && x.carriesImages():
		return "non_retryable_client_media_error"
	case o.status == http.StatusTooManyRequests, group == failure.GroupRateLimit:
		return "retryable_rate_limited"
	case o.errorKind == http5xx:
		return "retryable_http_5xx"
	case o.status == http.StatusRequestTimeout, group == failure.GroupTransient && strings.HasPrefix(o.reason, "fetch_"):
		return "retryable_network"
	case group == failure.GroupTransient:
		return "retryable_http_5xx"
	}
	return "non_retryable_http_4xx"
}

func (x *exchange) carriesImages() bool { return x.req != nil && len(x.req.Images) > 0 }

// fault logs a fault of our own.
func (x *exchange) fault(step string) {
	x.p.emit(eventlog.Event{Event: "internal_error", Mode: string(x.p.Mode), Detail: "panic in step " + step})
	if x.unseen == "" && step == "scan" {
		x.unseen = "internal_error"
	}
}
