// Package protocol knows the wire APIs: which requests belong to them, where a request
// carries images, how an answer of each is written, and what their headers mean. One
// file is one API; the list known names them all. A walk goes through the messages for
// all of them.
//
// It is the only package that knows the field and header names of APIs. It knows no
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
	// Name returns its name in the event log.
	Name() string
	// Provider returns the name by which --upstream knows its provider.
	Provider() string
	// Match reports whether a request belongs to the API, and to which call of it, by
	// method, URL and headers alone.
	Match(method string, u *url.URL, h http.Header) (Call, bool)
	// Scan reads the body of a request that Match has claimed.
	Scan(c Call, h http.Header, body jsontree.Node) *Request
	// Turn returns a complete assistant turn with r.Text, as JSON.
	Turn(r Reply) []byte
	// TurnStream returns the same turn as a complete stream of the kind r.Stream.
	TurnStream(r Reply) []byte
	// Error returns an error in the API's envelope.
	Error(e Error) []byte
	// Placeholder returns a text part that can replace the image's part, with what the
	// conversation needs of that one; nil if the API takes no text there. Use
	// Substitute to put it into a body.
	Placeholder(im *Image, text string) []byte
	// Ends reports whether a stream's event says that the generation is complete.
	Ends(e sse.Event) bool
}

// listSubstituter is an API with images in lists apart from the text that they belong
// to, where a placeholder cannot replace an image's part.
type listSubstituter interface {
	substitute(images []*Image, placeholder func(*Image) string) []Edit
}

// formatTaker is an API whose documentation names image formats beyond the common ones.
type formatTaker interface {
	alsoTakes() []imagehash.Format
}

// errorClassifier is an API with a header for the class of an error.
type errorClassifier interface {
	errorHeader(status int) (name, value string)
}

// Kind is what a call is for. The zero value is Generate.
type Kind int

// The kinds of calls.
const (
	Generate Kind = iota // a completion
	Count                // token counting: no completion, and a success proves nothing about an image
	Compact              // a summary that replaces the conversation
)

// Call is what path and headers say of a request that belongs to an API.
type Call struct {
	Kind     Kind
	Model    string // empty if the path does not name it
	Stream   Stream // empty if the path does not ask for one
	Provider string // empty, or the one that the path implies instead of the API's own
}

// Stream is the media type of the stream that a client asks for. Empty stands for a
// single JSON document.
type Stream string

const (
	eventStream Stream = stream.Events
	jsonLines   Stream = stream.Lines
	jsonArray   Stream = "application/json" // an array that grows
)

// Reply is the content of a synthesized turn.
type Reply struct {
	ID     string // letters and digits, without the API's prefix
	Model  string
	Text   string
	Time   time.Time
	Stream Stream
	Usage  bool // end the stream with the usage, if the API makes that a choice
}

// Error is the content of an error envelope.
type Error struct {
	Status  int // HTTP status
	Message string
	Code    string // the API's own code, for envelopes that have one; may be empty
}

// class picks the name of an error's class: of a rejected request, of a timeout, or of
// anything else.
func (e Error) class(rejected, timeout, other string) string {
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return rejected
	case http.StatusGatewayTimeout:
		return timeout
	}
	return other
}

// Takes reports whether an API takes images of a format: PNG, JPEG, GIF and WebP, and
// those that its documentation names beyond them.
func Takes(a API, f imagehash.Format) bool {
	switch f {
	case imagehash.PNG, imagehash.JPEG, imagehash.GIF, imagehash.WebP:
		return true
	}
	more, ok := a.(formatTaker)
	return ok && slices.Contains(more.alsoTakes(), f)
}

// SetErrorHeader sets the header for the class of an error, if the API has one and the
// status is an error's.
func SetErrorHeader(h http.Header, a API, status int) {
	if to, ok := a.(errorClassifier); ok && status >= http.StatusBadRequest {
		h.Set(to.errorHeader(status))
	}
}
