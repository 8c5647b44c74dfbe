// Package report shows the event log to people: a table of what happened, and
// what it comes to. It reads no files. What stands in a log came from outside
// in part, so nothing of it reaches a terminal that could be more than text.
package report

import (
	"strings"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

// Filter tells which events are wanted. The zero value wants all.
type Filter struct {
	Since   time.Time // zero: from the beginning
	Session string    // the beginning of the session's id
	Reason  record.Reason
	Event   record.Event
}

// Wants tells whether e passes.
func (f Filter) Wants(e *eventlog.Event) bool {
	return !e.Time.Before(f.Since) &&
		strings.HasPrefix(e.SessionID, f.Session) &&
		(f.Reason == "" || f.Reason == e.Reason) &&
		(f.Event == "" || f.Event == e.Event)
}

// kind is what a person calls an event.
type kind struct {
	event  record.Event
	word   string
	colour string // the number of a terminal's colour
}

var kinds = []kind{
	{record.FailureRecorded, "failed", red},
	{record.ShortCircuited, "held", yellow},
	{record.WouldShortCircuit, "would hold", cyan},
	{record.Substituted, "repaired", green},
	{record.Recovered, "recovered", green},
	{record.ProbeSent, "probed", cyan},
	{record.UpstreamError, "API error", magenta},
	{record.Bypassed, "unseen", grey},
	{record.InternalError, "own fault", red},
	{record.Started, "started", grey},
	{record.Stopped, "stopped", grey},
}

// kindOf is the event's kind. One that is not known, of a newer version, is
// called what the log calls it.
func kindOf(event record.Event) kind {
	for _, k := range kinds {
		if k.event == event {
			return k
		}
	}
	return kind{event: event, word: string(event), colour: grey}
}

// EventOf returns the log's name of an event that is called by that name or by
// its word in the table; "" if nothing is.
func EventOf(name string) record.Event {
	for _, k := range kinds {
		if name == string(k.event) || name == k.word {
			return k.event
		}
	}
	return ""
}

// Words lists what events are called in the table.
func Words() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.word)
	}
	return out
}
