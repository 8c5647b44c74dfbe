package eventlog

import (
	"time"

	"imagebreaker/internal/record"
)

// NewEvent returns the event for one attempt of an exchange, at the time now. It
// returns false for a plain success, which has none.
func NewEvent(x *record.Exchange, a *record.Attempt, now time.Time) (Event, bool) {
	name := x.Event(a)
	if name == "" {
		return Event{}, false
	}
	e := Event{
		Time: Time{now}, Event: name, Mode: x.Mode, Protocol: x.Protocol, Path: x.Path,
		SessionID: NoSession, Verdict: a.Verdict, Reason: a.Reason,
		Status: a.Status, ErrorKind: a.Error, RetryDecision: x.RetryDecision(a), Reply: a.Reply, ClientStatus: a.ClientStatus,
		RequestBytes: x.Bytes, Duration: new(Millis(now.Sub(x.Start))), RequestID: a.RequestID,
	}
	if e.Reply == "" {
		e.Reply = record.ReplyUpstream
	}
	if x.Bypass != "" {
		e.Reason = record.Reason(x.Bypass)
	}
	if q := x.Request; q != nil {
		e.Model, e.Stream, e.ImagesTotal = q.Model, &q.Stream, q.Media
		if q.Session != "" {
			e.SessionID = q.Session
		}
	}
	e.attribute(name, a)
	return e, true
}

// attribute fills in the failure that the event is about, and the images that it is
// attributed to.
func (e *Event) attribute(name record.Event, a *record.Attempt) {
	switch name {
	case record.ShortCircuited, record.WouldShortCircuit:
		e.about(a.Rejected)
		e.HeldCount, e.CoolOffRemaining = a.Rejected.Rejected, new(Millis(a.Rejected.Remaining))
	case record.FailureRecorded:
		e.about(a.Recorded)
	case record.Recovered:
		e.about(&a.Cleared[0])
	case record.ProbeSent:
		e.about(&a.Probed[0])
	case record.Substituted:
		e.aboutPlaceholders(a.Placeholders)
	}
}

func (e *Event) about(entry *record.Entry) {
	e.Signature, e.Images = entry.Signature, entry.Items
	if e.Verdict == "" {
		e.Verdict, e.Reason = record.Permanent, entry.Reason
	}
}

// aboutPlaceholders fills in the failure of the first placeholder in the body. The
// verdict says whether any of them may stand for an image that is not at fault.
func (e *Event) aboutPlaceholders(all []record.Placeholder) {
	e.Signature, e.Reason, e.Reply, e.Verdict = all[0].Signature, all[0].Reason, record.ReplySubstituted, record.Permanent
	for _, p := range all {
		e.Images = append(e.Images, p.Sum)
		if p.Unsure {
			e.Verdict = record.Suspect
		}
	}
}
