// Package stream finds the events in a streamed answer, whatever its framing. It
// knows no provider: what the events mean is the caller's business.
package stream

import "imagebreaker/sse"

// The media types of the framings.
const (
	Events = "text/event-stream"    // server-sent events, package sse
	Lines  = "application/x-ndjson" // a JSON value a line
	Amazon = "application/vnd.amazon.eventstream"
)

// maxEvent is how much of one event is kept, in bytes.
const maxEvent = 1 << 20

// Scanner finds the events in a stream that arrives in pieces of any size. It
// only looks: it never changes or delays the bytes, which its owner passes on.
// It must not be used by several goroutines at once.
type Scanner interface {
	// Feed looks at the next piece and calls emit for each event that ends in
	// it. An event's data are valid only until emit returns.
	Feed(p []byte, emit func(sse.Event))
	// End tells that the stream is over. An event that was not finished is
	// emitted if it may tell something.
	End(emit func(sse.Event))
}

// NewScanner returns a scanner for a media type, without parameters and in lower case;
// nil if it is not a stream's.
func NewScanner(mediaType string) Scanner {
	switch mediaType {
	case Events:
		return &sse.Scanner{Max: maxEvent}
	case Lines, "application/jsonl", "application/json-lines", "application/ndjson":
		return &lines{}
	case Amazon:
		return newAmazon()
	}
	return nil
}
