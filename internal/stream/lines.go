package stream

import (
	"bytes"

	"imagebreaker/sse"
)

// lines finds the lines of a stream that has a JSON value on each. An empty
// line is no event.
type lines struct {
	line      []byte // the line that is not over yet, up to maxEvent
	truncated bool   // there was more of it
}

func (l *lines) Feed(p []byte, emit func(sse.Event)) {
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.keep(p)
			return
		}
		l.keep(p[:end])
		l.End(emit)
		p = p[end+1:]
	}
}

// End emits a last line that has no line feed: an upstream that dies after its
// error has still said what went wrong.
func (l *lines) End(emit func(sse.Event)) {
	if text := bytes.TrimSpace(l.line); len(text) > 0 {
		emit(sse.Event{Data: text, Truncated: l.truncated})
	}
	l.line, l.truncated = l.line[:0], false
}

func (l *lines) keep(p []byte) {
	n := min(len(p), maxEvent-len(l.line))
	l.line = append(l.line, p[:n]...)
	l.truncated = l.truncated || n < len(p)
}
