// Package stream finds the events in a streamed answer, whatever its framing. It
// knows no provider: what the events mean is the caller's business.
package stream

import (
	"bytes"

	"imagebreaker/sse"
)

// The media types of the framings.
const (
	Events = "text/event-stream"    // server-sent events, package sse
	Lines  = "application/x-ndjson" // one JSON value per line
	Amazon = "application/vnd.amazon.eventstream"
)

// maxEvent is how much of one event is buffered, in bytes.
const maxEvent = 1 << 20

// Scanner finds the events in a stream that is fed to it in pieces of any size. It
// observes the bytes, which its owner passes on, and neither changes nor delays
// them. It must not be used by several goroutines at once.
type Scanner interface {
	// Feed reads the next piece and calls emit for each event that ends in it. An
	// event's data are valid only until emit returns.
	Feed(p []byte, emit func(sse.Event))
	// End marks the end of the stream. An incomplete event is emitted if its framing
	// allows to tell what it says.
	End(emit func(sse.Event))
}

// NewScanner returns a scanner for a media type, which is in lower case and without
// parameters. It returns nil if that is not a stream's.
func NewScanner(mediaType string) Scanner {
	switch mediaType {
	case Events:
		return &sse.Scanner{Max: maxEvent}
	case Lines, "application/jsonl", "application/json-lines", "application/ndjson":
		return &lineScanner{}
	case Amazon:
		return newAmazonScanner()
	}
	return nil
}

// lineScanner finds the lines of a stream that has one JSON value per line. A blank
// line is not an event.
type lineScanner struct {
	line      []byte // the incomplete line, up to maxEvent
	truncated bool   // there was more of it
}

func (l *lineScanner) Feed(p []byte, emit func(sse.Event)) {
	for {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		n := min(len(line), maxEvent-len(l.line))
		l.line = append(l.line, line[:n]...)
		l.truncated = l.truncated || n < len(line)
		if !ended {
			return
		}
		l.End(emit)
		p = rest
	}
}

// End emits a last line that has no line feed: an upstream that dies after its
// error has still said what went wrong.
func (l *lineScanner) End(emit func(sse.Event)) {
	if text := bytes.TrimSpace(l.line); len(text) > 0 {
		emit(sse.Event{Data: text, Truncated: l.truncated})
	}
	l.line, l.truncated = l.line[:0], false
}
