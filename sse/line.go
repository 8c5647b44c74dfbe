package sse

import "bytes"

const byteOrderMark = "\uFEFF"

// part is the part of a line that comes next.
type part uint8

const (
	atStart part = iota // of the stream, where a byte order mark may stand
	inField             // the field's name
	atSpace             // after the colon, where one space does not count
	inValue
	inRest // of a line that says nothing to us
)

// field is the beginning of a line up to its colon. Only "data" and "event"
// matter, so that nothing longer needs to be kept.
type field struct {
	text [len("event")]byte
	size int
}

// add appends b and reports whether the whole still fits.
func (f *field) add(b []byte) bool {
	if f.size+len(b) > len(f.text) {
		return false
	}
	f.size += copy(f.text[f.size:], b)
	return true
}

func (f *field) is(name string) bool { return string(f.text[:f.size]) == name }

// text reads a piece of a line, without a line break.
func (s *Scanner) text(b []byte) {
	if s.part == atStart {
		b = s.skipByteOrderMark(b)
	}
	if s.part == inField {
		b = s.readField(b)
	}
	if s.part == atSpace && len(b) > 0 {
		b = bytes.TrimPrefix(b, []byte(" "))
		s.part = inValue
	}
	if s.part == inValue {
		s.readValue(b)
	}
}

// skipByteOrderMark returns b without its part of a mark.
func (s *Scanner) skipByteOrderMark(b []byte) []byte {
	for len(b) > 0 && s.bom < len(byteOrderMark) && b[0] == byteOrderMark[s.bom] {
		b = b[1:]
		s.bom++
	}
	switch {
	case s.bom == len(byteOrderMark), s.bom == 0:
		s.part = inField
	case len(b) > 0: // a mark that breaks off is the name of an unknown field
		s.part = inRest
	}
	return b
}

// readField reads up to the colon and returns what follows it.
func (s *Scanner) readField(b []byte) []byte {
	colon := bytes.IndexByte(b, ':')
	if colon < 0 {
		if !s.field.add(b) {
			s.part = inRest
		}
		return nil
	}
	s.part = inRest
	if s.field.add(b[:colon]) && s.startValue() {
		s.part = atSpace
	}
	return b[colon+1:]
}

// startValue prepares for the value of the field whose name was read. It
// reports false for a field that does not matter; a comment is one.
func (s *Scanner) startValue() bool {
	switch {
	case s.field.is("data"):
		if s.hasData {
			s.addData([]byte("\n"))
		}
		s.hasData = true
	case s.field.is("event"):
		s.name = s.name[:0] // the last one counts
	default:
		return false
	}
	return true
}

func (s *Scanner) readValue(b []byte) {
	if s.field.is("data") {
		s.addData(b)
		return
	}
	s.name = append(s.name, b[:min(len(b), maxName-len(s.name))]...)
}

// endLine completes a line. A blank one ends the event.
func (s *Scanner) endLine(emit func(Event)) {
	if s.part == inField {
		if s.field.size == 0 {
			s.dispatch(emit)
		} else {
			s.startValue() // a name without a colon has an empty value
		}
	}
	s.part, s.field.size = inField, 0
}

// addData keeps as much of b as Max allows.
func (s *Scanner) addData(b []byte) {
	limit := s.Max
	if limit <= 0 {
		limit = defaultMax
	}
	if room := limit - len(s.data); len(b) > room {
		b, s.truncated = b[:room], true
	}
	s.reserve(len(b), limit)
	s.data = append(s.data, b...)
}

// reserve makes room for n more bytes. It is here because append alone would
// grow the buffer past the limit.
func (s *Scanner) reserve(n, limit int) {
	need := len(s.data) + n
	if need <= cap(s.data) {
		return
	}
	grown := make([]byte, len(s.data), min(max(need, 2*cap(s.data), 512), limit))
	copy(grown, s.data)
	s.data = grown
}
