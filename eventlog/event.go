package eventlog

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"
)

const (
	timeLayout = "2006-01-02T15:04:05.000Z" // in UTC

	maxText   = 256  // bytes of a text that may come from outside
	maxDetail = 4096 // bytes of Detail
	maxImages = 1024 // sums in one line; ImagesTotal tells how many there were
)

// Event is one line of the log. The fields stand in the log's order. A zero
// value is left out, but for the two where zero says something: see Stream and
// Duration. Never put a payload, a prompt, a key, a URL or the upstream's text
// into one.
//
// Texts longer than 256 bytes are cut at a character (Detail: 4096 bytes), and
// of Images the first 1024 are kept, so that no request can make a line huge.
type Event struct {
	Time             time.Time // to the millisecond; zero means the time of Write
	Event            string    // what happened, "failure_recorded" for example
	Mode             string
	Protocol         string
	Path             string // of the request, without its query
	Model            string
	Stream           *bool  // whether the client asked for a stream; nil: not known
	SessionID        string // "none" if the request told none
	Signature        string
	Images           []string // sum prefixes of the culprits
	ImagesTotal      int      // media parts in the request, repeated ones counted
	Verdict          string
	Reason           string
	Status           int // the upstream's HTTP status
	ErrorKind        string
	RetryDecision    string
	Reply            string // the form of what the client got
	ClientStatus     int    // the HTTP status that the client got
	HeldCount        int    // requests held by this entry so far, this one included
	CoolOffRemaining *time.Duration
	RequestBytes     int64
	Duration         time.Duration // written also when zero if there is a Protocol
	RequestID        string        // the upstream's

	// The rest is written in started, stopped and internal_error only.

	Version string
	Address string // where the proxy listens
	Detail  string
	Dropped int // events lost so far; the log itself raises it to the latest count in stopped
}

// MarshalZerologObject adds the event's fields to a line.
func (e *Event) MarshalZerologObject(z *zerolog.Event) {
	line := fields{z}
	z.Str("time", e.Time.UTC().Format(timeLayout))
	line.text("event", e.Event)
	line.text("mode", e.Mode)
	e.addRequest(line)
	e.addOutcome(line)
	if e.aboutProcess() {
		e.addProcess(line)
	}
}

func (e *Event) addRequest(line fields) {
	line.text("protocol", e.Protocol)
	line.text("path", e.Path)
	line.text("model", e.Model)
	if e.Stream != nil {
		line.z.Bool("stream", *e.Stream)
	}
	line.text("session_id", e.SessionID)
	line.text("signature", e.Signature)
	if images := firstImages(e.Images); len(images) > 0 {
		line.z.Strs("images", images)
	}
	line.number("images_total", int64(e.ImagesTotal))
}

func (e *Event) addOutcome(line fields) {
	line.text("verdict", e.Verdict)
	line.text("reason", e.Reason)
	line.number("status", int64(e.Status))
	line.text("error_kind", e.ErrorKind)
	line.text("retry_decision", e.RetryDecision)
	line.text("reply", e.Reply)
	line.number("client_status", int64(e.ClientStatus))
	line.number("held_count", int64(e.HeldCount))
	if e.CoolOffRemaining != nil {
		line.z.Int64("cool_off_remaining_ms", e.CoolOffRemaining.Milliseconds())
	}
	line.number("request_bytes", e.RequestBytes)
	if e.Protocol != "" || e.Duration != 0 {
		line.z.Int64("duration_ms", e.Duration.Milliseconds())
	}
	line.text("request_id", e.RequestID)
}

func (e *Event) addProcess(line fields) {
	line.text("version", e.Version)
	line.text("address", e.Address)
	if e.Detail != "" {
		line.z.Str("detail", firstBytes(e.Detail, maxDetail))
	}
	line.number("dropped", int64(e.Dropped))
}

// aboutProcess reports whether e tells of the proxy itself. Other events never
// carry a free text, whatever their caller filled in.
func (e *Event) aboutProcess() bool {
	return e.Event == "started" || e.Event == "stopped" || e.Event == "internal_error"
}

// detach makes e safe to wait in the queue: it must neither change with the
// caller's slice nor keep a whole request alive through a piece of it.
func (e *Event) detach() {
	e.Images = slices.Clone(firstImages(e.Images))
	for _, s := range []*string{&e.Protocol, &e.Path, &e.Model, &e.SessionID, &e.RequestID} {
		if len(*s) > maxText {
			*s = strings.Clone(firstBytes(*s, maxText))
		}
	}
}

// fields leaves zero values out.
type fields struct{ z *zerolog.Event }

func (f fields) text(key, s string) {
	if s != "" {
		f.z.Str(key, firstBytes(s, maxText))
	}
}

func (f fields) number(key string, n int64) {
	if n != 0 {
		f.z.Int64(key, n)
	}
}

func firstImages(images []string) []string { return images[:min(len(images), maxImages)] }

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

// JSON is the event as a line of the log has it, without the line's end. An
// event without a time has none there that could be read back.
func (e Event) JSON() []byte {
	var line bytes.Buffer
	z := zerolog.New(&line)
	z.Log().EmbedObject(&e).Send()
	return bytes.TrimSuffix(line.Bytes(), []byte("\n"))
}
