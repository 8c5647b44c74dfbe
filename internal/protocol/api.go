// Package protocol knows the wire APIs: which requests are theirs, where a
// request carries images, how an answer of each is written, and what their headers
// mean. One file is one API; registry.go lists them. What is common to all of them
// is beside them.
//
// It is the only package that knows a field or header name of an API. It knows no
// clock, no file and no connection.
package protocol

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"imagebreaker/imagehash"
	"imagebreaker/internal/jsontree"
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
	Scan(c Call, h http.Header, body jsontree.Node) *Request
	// Turn is a finished assistant message that says r.Text, as JSON.
	Turn(r Reply) []byte
	// TurnStream is the same as the API's complete stream, of the kind r.Stream.
	TurnStream(r Reply) []byte
	// Error is an error in the API's envelope.
	Error(e Error) []byte
	// Placeholder is a text part that can take the image's place, and keeps what
	// the conversation needs of it. Nil where the API takes no text there. Use
	// Substitute to put it into a body.
	Placeholder(im *Image, text string) []byte
	// Ends tells whether a stream's event says that the generation ended well.
	Ends(e sse.Event) bool
}

// listSubstituter is an API whose images stand in lists apart from the text that
// they belong to, so that a placeholder cannot take an image's place.
type listSubstituter interface {
	substitute(gone []*Image, text func(*Image) string) []Edit
}

// formatTaker is an API whose documentation names picture formats beside the
// common ones.
type formatTaker interface {
	alsoTakes() []imagehash.Format
}

// errorClassifier is an API that tells the class of an error in a header.
type errorClassifier interface {
	errorHeader(status int) (name, value string)
}

// Kind is what a call is for.
type Kind int

const (
	Generate Kind = iota // a completion
	Count                // token counting: no completion, and no proof of an image
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
func streamIf(n jsontree.Node) Stream {
	switch string(n.Raw()) {
	case "true", "1", `"true"`, `"True"`, `"1"`:
		return eventStream
	}
	return ""
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
	more, ok := a.(formatTaker)
	return ok && slices.Contains(more.alsoTakes(), f)
}

// SetErrorHeader sets the header in which an API tells the class of an error,
// beside its body, if it has one. A status below 400 has no class.
func SetErrorHeader(h http.Header, a API, status int) {
	if to, ok := a.(errorClassifier); ok && status >= http.StatusBadRequest {
		h.Set(to.errorHeader(status))
	}
}
