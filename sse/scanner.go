// Package sse reads and writes event streams (text/event-stream, the format
// that the WHATWG HTML standard calls server-sent events). It knows the framing
// only: what the events mean is the caller's business, and so is the transport.
package sse

import "bytes"

const (
	defaultMax = 1 << 20 // bytes of data in one event
	maxName    = 256     // bytes of an event's name
	maxNames   = 64      // names that one Scanner interns
	lineSlack  = 512     // bytes of a line beyond Max: room for a field's name and an event's name

	byteOrderMark = "\uFEFF"
)

// Event is one dispatched event.
type Event struct {
	Name      string // "" if the stream gave none; the first 256 bytes of a longer one
	Data      []byte // the data lines, joined by "\n"; valid only until the callback returns
	Truncated bool   // there was more data than Scanner.Max: Data holds the beginning only
}

// Scanner finds the events in a stream that is fed to it in pieces of any size.
// It observes the bytes, which its owner passes on, and neither changes nor delays
// them. Bytes that are not UTF-8 stay as they are. The fields id and retry, and
// those that the standard does not define, are skipped.
//
// The zero value is ready to use. A Scanner must not be used by several goroutines
// at once.
type Scanner struct {
	// Max is the number of bytes of data kept of one event. The memory of a
	// Scanner is bounded by Max and a constant, whatever it is fed. Zero or less
	// means 1 MiB. It must not change while a stream is being read.
	Max int

	begun   bool // the first line, which may have a byte order mark, has ended
	afterCR bool // the next byte, if a line feed, belongs to the last line break

	buf       []byte // the data of the current event, then the incomplete line
	size      int    // of the data in buf
	name      []byte // of the current event
	hasData   bool
	truncated bool

	names map[string]string // interned, so that a name is not allocated for each event
}

// Feed reads the next piece of the stream and calls emit for each event that ends
// in it. The same stream gives the same events however it is split.
func (s *Scanner) Feed(p []byte, emit func(Event)) {
	// Both positions are kept while they lie ahead, so that a stream with only
	// one kind of line break is not searched to its end for the other at every line.
	cr, lf := -1, -1
	for pos := 0; pos < len(p); {
		if cr < pos {
			cr = indexFrom(p, '\r', pos)
		}
		if lf < pos {
			lf = indexFrom(p, '\n', pos)
		}
		end := min(cr, lf)
		switch {
		case end == len(p):
			s.afterCR = false
			s.keep(p[pos:])
		case end == pos && p[end] == '\n' && s.afterCR:
			s.afterCR = false
		default:
			// A line ends with its carriage return already: waiting for a line
			// feed could hold an event back until the next one.
			s.afterCR = p[end] == '\r'
			s.endLine(p[pos:end], emit)
		}
		pos = end + 1
	}
}

// End marks the end of the stream and resets s for another one. The standard
// discards an event whose blank line never came; End emits it, because an upstream
// that dies right after its error event has still said what went wrong. Nothing is
// emitted for an event without data.
func (s *Scanner) End(emit func(Event)) {
	s.endLine(nil, emit)
	s.dispatch(emit)
	s.begun, s.afterCR = false, false
}

// indexFrom returns the position of c in p at or after pos, or len(p).
func indexFrom(p []byte, c byte, pos int) int {
	if i := bytes.IndexByte(p[pos:], c); i >= 0 {
		return pos + i
	}
	return len(p)
}

// endLine completes a line with its last piece. A blank one ends the event.
func (s *Scanner) endLine(line []byte, emit func(Event)) {
	if len(s.buf) > s.size { // there were other pieces
		s.keep(line)
		line = s.buf[s.size:]
		s.buf = s.buf[:s.size]
	}
	if !s.begun {
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		s.begun = true
	}
	if len(line) == 0 {
		s.dispatch(emit)
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "data":
		s.addData(value)
	case "event":
		s.name = append(s.name[:0], value[:min(len(value), maxName)]...) // the last one counts
	}
}

// addData adds a data line, which may lie behind the data in buf.
func (s *Scanner) addData(line []byte) {
	if s.hasData {
		s.addBytes([]byte("\n"))
	}
	s.hasData = true
	s.addBytes(line)
}

func (s *Scanner) addBytes(b []byte) {
	if room := s.limit() - s.size; len(b) > room {
		b, s.truncated = b[:room], true
	}
	s.write(b)
	s.size = len(s.buf)
}

// keep adds a piece of an incomplete line to buf. Of a line that is too long for it
// the beginning is enough: more data than that would be truncated anyway.
func (s *Scanner) keep(piece []byte) {
	s.write(piece[:min(len(piece), s.limit()+lineSlack-len(s.buf))])
}

// write appends b to buf. It grows buf itself, because append would grow it past its
// limit.
func (s *Scanner) write(b []byte) {
	if need := len(s.buf) + len(b); need > cap(s.buf) {
		grown := make([]byte, len(s.buf), min(max(need, 2*cap(s.buf), 512), s.limit()+lineSlack))
		copy(grown, s.buf)
		s.buf = grown
	}
	s.buf = append(s.buf, b...)
}

func (s *Scanner) limit() int {
	if s.Max <= 0 {
		return defaultMax
	}
	return s.Max
}

// dispatch emits the current event, if it has data, and starts the next.
func (s *Scanner) dispatch(emit func(Event)) {
	if s.hasData {
		emit(Event{Name: s.intern(s.name), Data: s.buf[:s.size], Truncated: s.truncated})
	}
	s.name, s.buf, s.size = s.name[:0], s.buf[:0], 0
	s.hasData, s.truncated = false, false
}

// intern returns name as a string. A stream has few different names, so that most
// events cost no allocation; if it has many, the later ones are not interned.
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
