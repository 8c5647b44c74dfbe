package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"imagebreaker/internal/record"
)

const (
	maxText   = 256  // bytes of a text that may come from outside
	maxDetail = 4096 // bytes of Detail
	maxImages = 1024 // sums in one line; ImagesTotal tells how many there were
)

// Event is one line of the log. This is the one place where its schema is written:
// the fields stand in the log's order, under the log's names. A zero value is left
// out; nil stands for what is not known where zero would say something. Never put a
// payload, a prompt, a key, a URL or the upstream's text into one.
//
// Texts longer than 256 bytes are cut at a character (Detail: 4096 bytes), and
// of Images the first 1024 are kept, so that no request can make a line huge.
type Event struct {
	Time             Time                 `json:"time"`  // zero means the time of Write
	Event            record.Event         `json:"event"` // what happened
	Mode             string               `json:"mode,omitempty"`
	Protocol         string               `json:"protocol,omitempty"`
	Path             string               `json:"path,omitempty"` // of the request, without its query
	Model            string               `json:"model,omitempty"`
	Stream           *bool                `json:"stream,omitempty"`     // whether the client asked for a stream
	SessionID        string               `json:"session_id,omitempty"` // NoSession if the request told none
	Signature        string               `json:"signature,omitempty"`
	Images           []string             `json:"images,omitempty"`       // sum prefixes of what the failure is attributed to
	ImagesTotal      int                  `json:"images_total,omitempty"` // media parts in the request, repeated ones counted
	Verdict          record.Verdict       `json:"verdict,omitempty"`
	Reason           record.Reason        `json:"reason,omitempty"` // or a record.Bypass
	Status           int                  `json:"status,omitempty"` // the upstream's HTTP status
	ErrorKind        record.ErrorKind     `json:"error_kind,omitempty"`
	RetryDecision    record.RetryDecision `json:"retry_decision,omitempty"`
	Reply            record.Reply         `json:"reply,omitempty"`         // the form of what the client got
	ClientStatus     int                  `json:"client_status,omitempty"` // the HTTP status that the client got
	HeldCount        int                  `json:"held_count,omitempty"`    // requests rejected by this entry so far, this one included
	CoolOffRemaining *Millis              `json:"cool_off_remaining_ms,omitempty"`
	RequestBytes     int64                `json:"request_bytes,omitempty"`
	Duration         *Millis              `json:"duration_ms,omitempty"`
	RequestID        string               `json:"request_id,omitempty"` // the upstream's

	// The rest is written in started, stopped and internal_error only.

	Version string `json:"version,omitempty"`
	Address string `json:"address,omitempty"` // where the proxy listens
	Detail  string `json:"detail,omitempty"`
	Dropped int    `json:"dropped,omitempty"` // events lost so far; the log itself raises it to the latest count in stopped
}

// NoSession is the session id of requests that have none.
const NoSession = "none"

// aboutProcess reports whether e tells of the proxy itself. Other events never
// carry a free text, whatever their caller filled in.
func (e *Event) aboutProcess() bool {
	return e.Event == record.Started || e.Event == record.Stopped || e.Event == record.InternalError
}

// detach makes e safe to wait in the queue and to be written: it must neither
// change with the caller's slice, nor keep a whole request alive through a piece of
// it, nor make a huge line.
func (e *Event) detach() {
	e.Images = slices.Clone(e.Images[:min(len(e.Images), maxImages)])
	e.Event, e.Verdict, e.Reason = cut(e.Event), cut(e.Verdict), cut(e.Reason)
	e.ErrorKind, e.RetryDecision, e.Reply = cut(e.ErrorKind), cut(e.RetryDecision), cut(e.Reply)
	for _, s := range []*string{&e.Mode, &e.Protocol, &e.Path, &e.Model, &e.SessionID, &e.Signature, &e.RequestID, &e.Version, &e.Address} {
		*s = cut(*s)
	}
	e.Detail = firstBytes(e.Detail, maxDetail)
	if !e.aboutProcess() {
		e.Version, e.Address, e.Detail, e.Dropped = "", "", "", 0
	}
}

// cut bounds a text, and lets go of the rest of it.
func cut[S ~string](s S) S {
	if len(s) <= maxText {
		return s
	}
	return S(strings.Clone(firstBytes(string(s), maxText)))
}

// firstBytes cuts s to at most n bytes, and never within a character.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for end := n; end > 0 && end > n-utf8.UTFMax; end-- {
		if utf8.RuneStart(s[end]) {
			return s[:end]
		}
	}
	return s[:n] // no UTF-8
}

// JSON is the event as a line of the log has it, without the line's end.
func (e Event) JSON() []byte {
	e.detach()
	return e.line()
}

// line is the event, detached, as JSON.
func (e *Event) line() []byte {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	_ = to.Encode(e) // every field has a form in JSON
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// parse reads one line back.
func parse(line []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(line, &e); err != nil {
		return Event{}, err
	}
	switch {
	case e.Event == "":
		return Event{}, errors.New("no event in it")
	case e.Time.IsZero():
		return Event{}, errors.New("no time in it")
	}
	return e, nil
}
