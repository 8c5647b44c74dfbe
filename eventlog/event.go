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

// Event is one line of the log, and the only definition of its schema: the fields have
// the log's order and names. Zero values are omitted; a pointer is nil if a value is
// not known, where zero would be one. Never put a payload, a prompt, a key, a URL or the
// upstream's text into one.
//
// Texts are truncated to 256 bytes (Detail: 4096), at a character's boundary, and
// Images to the first 1024, so that no request can make a line huge.
type Event struct {
	Time             Time                 `json:"time"`  // zero means the time of Write
	Event            record.Event         `json:"event"` // what happened
	Mode             string               `json:"mode,omitempty"`
	Protocol         string               `json:"protocol,omitempty"`
	Path             string               `json:"path,omitempty"` // of the request, without its query
	Model            string               `json:"model,omitempty"`
	Stream           *bool                `json:"stream,omitempty"`     // whether the client asked for a stream
	SessionID        string               `json:"session_id,omitempty"` // NoSession if the request has none
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

	// The rest is only written for started, stopped and internal_error.

	Version string `json:"version,omitempty"`
	Address string `json:"address,omitempty"` // where the proxy listens
	Detail  string `json:"detail,omitempty"`
	Dropped int    `json:"dropped,omitempty"` // events lost so far; in stopped the log itself updates it
}

// NoSession is the session id of requests that have none.
const NoSession = "none"

// aboutProcess reports whether e is about the proxy itself. Other events never carry
// free text, whatever their caller filled in.
func (e *Event) aboutProcess() bool {
	return e.Event == record.Started || e.Event == record.Stopped || e.Event == record.InternalError
}

// detach makes e safe to be queued and written: it must not alias the caller's slice,
// nor keep a whole request alive through a substring of it, nor make a huge line.
func (e *Event) detach() {
	e.Images = slices.Clone(e.Images[:min(len(e.Images), maxImages)])
	e.Event, e.Verdict, e.Reason = truncate(e.Event), truncate(e.Verdict), truncate(e.Reason)
	e.ErrorKind, e.RetryDecision, e.Reply = truncate(e.ErrorKind), truncate(e.RetryDecision), truncate(e.Reply)
	for _, s := range []*string{&e.Mode, &e.Protocol, &e.Path, &e.Model, &e.SessionID, &e.Signature, &e.RequestID, &e.Version, &e.Address} {
		*s = truncate(*s)
	}
	e.Detail = firstBytes(e.Detail, maxDetail)
	if !e.aboutProcess() {
		e.Version, e.Address, e.Detail, e.Dropped = "", "", "", 0
	}
}

// truncate bounds a text. It copies what it keeps, so that the rest can be freed.
func truncate[S ~string](s S) S {
	if len(s) <= maxText {
		return s
	}
	return S(strings.Clone(firstBytes(string(s), maxText)))
}

// firstBytes truncates s to at most n bytes, at a character's boundary.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for end := n; end > 0 && end > n-utf8.UTFMax; end-- {
		if utf8.RuneStart(s[end]) {
			return s[:end]
		}
	}
	return s[:n] // not UTF-8
}

// JSON returns the event as in the log, without a line break.
func (e Event) JSON() []byte {
	e.detach()
	return e.line()
}

// line encodes the event, which must be detached.
func (e *Event) line() []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(e) // every value of every field can be encoded
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// parse decodes one line.
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
