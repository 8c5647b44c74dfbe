// Package sse reads and writes event streams (text/event-stream, the format
// that the WHATWG HTML standard calls server-sent events). It knows the framing
// only: what the events mean is the caller's business, and so is the transport.
package sse

import "bytes"

const (
	defaultMax = 1 << 20 // bytes of data in one event
	maxName    = 256     // bytes of an event's name
	maxNames   = 64      // names that one Scanner remembers
)

// Event is one dispatched event.
type Event struct {
	Name      string // "" when the stream gave none; longer than 256 bytes: its beginning
	Data      []byte // the data lines, joined by "\n"; valid only until the callback returns
	Truncated bool   // there was more data than Scanner.Max: Data holds the beginning only
}

// Scanner finds the events in a stream that arrives in pieces of any size. It
// only looks: it never changes or delays the bytes, which its owner passes on.
// Bytes that are no UTF-8 stay as they are. The fields id and retry, and those
// that the standard does not know, are skipped.
//
// The zero value is ready. A Scanner must not be used by several goroutines at
// once.
type Scanner struct {
	// Max is the number of bytes of data kept of one event. What a Scanner
	// holds is bounded by Max and a constant, whatever arrives. Zero or less
	// means 1 MiB. It must not change while a stream is being read.
	Max int

	part    part
	bom     int  // bytes of a byte order mark seen so far
	afterCR bool // the next byte, if a line feed, belongs to the last line break
	field   field

	name      []byte // of the event being read
	data      []byte
	hasData   bool
	truncated bool

	names map[string]string // spares a new string for each event
}

// Feed looks at the next piece of the stream and calls emit for each event that
// ends in it. The same stream gives the same events however it is split.
func (s *Scanner) Feed(p []byte, emit func(Event)) {
	// Both positions are kept while they lie ahead, so that a stream with only
	// one kind of line break is not searched anew for the other at every line.
	cr, lf := -1, -1
	for pos := 0; pos < len(p); {
		if cr < pos {
			cr = indexFrom(p, '\r', pos)
		}
		if lf < pos {
			lf = indexFrom(p, '\n', pos)
		}
		end := min(cr, lf)
		if end > pos {
			s.afterCR = false
			s.text(p[pos:end])
		}
		if end < len(p) {
			s.lineBreak(p[end], emit)
		}
		pos = end + 1
	}
}

// End tells that the stream is over, and makes s ready for another one. The
// standard throws an event away whose blank line never came; End emits it,
// because an upstream that dies right after its error frame has still said what
// went wrong. Nothing is emitted for an event without data.
func (s *Scanner) End(emit func(Event)) {
	s.endLine(emit)
	s.dispatch(emit)
	s.part, s.bom, s.afterCR = atStart, 0, false
}

// indexFrom returns the position of c in p at or after pos, or len(p).
func indexFrom(p []byte, c byte, pos int) int {
	if i := bytes.IndexByte(p[pos:], c); i >= 0 {
		return pos + i
	}
	return len(p)
}

// lineBreak handles c, a carriage return or a line feed. A line ends with its
// carriage return already: waiting for a line feed could hold back an event
// until the next one comes.
func (s *Scanner) lineBreak(c byte, emit func(Event)) {
	if c == '\n' && s.afterCR {
		s.afterCR = false
		return
	}
	s.afterCR = c == '\r'
	s.endLine(emit)
}

// dispatch emits the event read so far, if there is one, and starts the next.
func (s *Scanner) dispatch(emit func(Event)) {
	if s.hasData {
		emit(Event{Name: s.intern(s.name), Data: s.data, Truncated: s.truncated})
	}
	s.name, s.data = s.name[:0], s.data[:0]
	s.hasData, s.truncated = false, false
}

// intern returns name as a string. A stream has few different names, so that
// the usual event costs no allocation; one that has many is not remembered.
func (s *Scanner) intern(name []byte) string {
	if len(name) == 0 {
		return ""
	}
	if known, ok := s.names[string(name)]; ok {
		return known
	}
	fresh := string(name)
	if s.names == nil {
		s.names = make(map[string]string)
	}
	if len(s.names) < maxNames {
		s.names[fresh] = fresh
	}
	return fresh
}
