// Package protocol knows the wire APIs: which requests are theirs, where a
// request carries images, and how an answer of each is written. One file is
// one API; it registers itself. What is common to all of them is beside them.
//
// A protocol knows no clock, no file and no connection.
package protocol

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"imagebreaker/imagehash"
	"imagebreaker/internal/stream"
	"imagebreaker/sse"
)

// API is one wire API.
type API interface {
	// Name is what the event log calls it.
	Name() string
	// Provider is whose API it is, as --upstream names it.
	Provider() string
	// Match tells which call of the API a request is, by method, URL and
	// headers alone.
	Match(method string, u *url.URL, h http.Header) (Call, bool)
	// Scan reads what there is to know from a body that Match has claimed.
	Scan(c Call, h http.Header, body Node) *Request
	// Turn is a finished assistant turn that says r.Text, as JSON.
	Turn(r Reply) []byte
	// TurnStream is the same as the API's complete stream, of the kind r.Stream.
	TurnStream(r Reply) []byte
	// Error is an error in the API's envelope.
	Error(e Error) []byte
	// Note is a text part in the place of the image, which keeps what the
	// conversation needs of it. Nil where the API takes no text there. Notes
	// puts it into a body.
	Note(im *Image, text string) []byte
	// Ends tells whether a stream's event says that the generation ended well.
	Ends(e sse.Event) bool
}

// Kind is what a call is for.
type Kind int

const (
	Generate Kind = iota // a model's turn
	Count                // token counting: no turn, and no proof of an image
	Compact              // a summary that replaces the conversation
)

// Call is a request that belongs to an API, as far as its head tells.
type Call struct {
	Kind     Kind
	Model    string // where the path names it
	Stream   Stream // where the path says so
	Provider string // whose it is, where the path tells another than the API's own
}

// Stream is how an answer is wanted. It is the media type of a stream; empty
// stands for one JSON document.
type Stream string

const (
	eventStream Stream = stream.Events
	jsonLines   Stream = stream.Lines
	jsonArray   Stream = "application/json" // an array that grows
)

// streamIf is an event stream if the body asks for one. Servers that are lax
// with types take 1 and "true" for true.
func streamIf(n Node) Stream {
	switch string(n.Raw()) {
	case "true", "1", `"true"`, `"True"`, `"1"`:
		return eventStream
	}
	return ""
}

// Request is what a body tells.
type Request struct {
	Kind         Kind
	Model        string
	Session      string // empty: it belongs to none
	Stream       Stream // how the answer is wanted
	StreamUsage  bool   // the stream is to end with the usage
	JSON         bool   // the answer is to be JSON, or a tool's call: prose would be no answer
	Tools        bool   // it declares tools, as agents do
	Chained      bool   // the client goes on by the id of the answer
	SelfRepair   bool   // the client removes an image whose exact path an error names
	Images       []Image
	conversation []piece
	overfull     bool // there were more images than are kept
}

// Reply is what a synthesized turn needs.
type Reply struct {
	ID     string // letters and digits; the API puts its own prefix before it
	Model  string
	Text   string
	Time   time.Time
	Stream Stream
	Usage  bool // end the stream with the usage, where the API makes that a choice
}

// Error is what an error envelope needs.
type Error struct {
	Status  int // HTTP status
	Message string
	Code    string // the API's own code for it, where the envelope has room; may be empty
}

// Takes tells whether an API takes pictures of a format: PNG, JPEG, GIF and
// WebP, and what its own documentation names beside them.
func Takes(a API, f imagehash.Format) bool {
	switch f {
	case imagehash.PNG, imagehash.JPEG, imagehash.GIF, imagehash.WebP:
		return true
	}
	more, ok := a.(interface{ alsoTakes() []imagehash.Format })
	return ok && slices.Contains(more.alsoTakes(), f)
}

// ErrorHeader is a header that belongs to an error of the API, beside its body;
// empty if there is none.
func ErrorHeader(a API, status int) (name, value string) {
	if to, ok := a.(interface {
		errorHeader(status int) (name, value string)
	}); ok {
		return to.errorHeader(status)
	}
	return "", ""
}

// registry holds the APIs in the order in which they are asked.
var registry []API

// Register adds an API. It is for the init function of the API's file.
func Register(a API) { registry = append(registry, a) }

// All lists the registered APIs.
func All() []API { return registry }

// Match finds the API and the call that a request belongs to.
func Match(method string, u *url.URL, h http.Header) (API, Call, bool) {
	for _, a := range registry {
		if c, ok := a.Match(method, u, h); ok {
			return a, c, true
		}
	}
	return nil, Call{}, false
}

// Scan reads the body of a request that Match has claimed. arrived is what
// looked on while the body arrived; it may be nil.
func Scan(a API, c Call, h http.Header, body []byte, arrived *Arriving) (*Request, error) {
	t, err := Parse(body)
	if err != nil {
		return nil, err
	}
	t.arrived = arrived
	r := a.Scan(c, h, t.Root())
	if r.overfull {
		return nil, ErrTooManyImages
	}
	r.Kind = max(r.Kind, c.Kind)
	r.Model, r.Session = bounded(r.Model), bounded(session(h, t.Root()))
	return r, nil
}

// PrefixMessage puts prefix before the message of a JSON error, which is in an
// object of its own or, as Bedrock's, at the top. It leaves every other byte as
// it is, and returns false for anything without such a message.
func PrefixMessage(body []byte, prefix string) ([]byte, bool) {
	t, err := Parse(body)
	if err != nil {
		return nil, false
	}
	m := t.Root().Get("error", "message")
	if !t.Root().Get("error").Exists() {
		m = t.Root().Get("message")
	}
	if m.Kind() != '"' {
		return nil, false
	}
	start, end := m.Span()
	return slices.Concat(body[:start], []byte(quote(prefix+m.String())), body[end:]), true
}
