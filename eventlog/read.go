package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

const maxLine = 1 << 20 // bytes, the line break included

var errLongLine = errors.New("longer than 1 MiB")

// Line is a line of a log: its text and the event in it.
type Line struct {
	Text   []byte // without its line break; nil if it is longer than 1 MiB. Valid only until the next line is read
	Event  Event  // zero if the line is damaged
	Damage error  // why the line cannot be parsed; nil if it can
}

// Read returns the events in r, in order. A line that is damaged, or longer than
// 1 MiB, gives an error with its number, and reading continues with the next one; an
// error of r itself comes last. Blank lines and unknown fields are skipped.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		in := newLineReader(r)
		for in.next() {
			line := in.parse()
			if line.Damage != nil {
				line.Damage = fmt.Errorf("line %d: %w", in.number, line.Damage)
			}
			if !yield(line.Event, line.Damage) {
				return
			}
		}
		if in.err != io.EOF {
			yield(Event{}, fmt.Errorf("read line %d: %w", in.number, in.err))
		}
	}
}

// lineReader reads lines, of which it buffers no more than maxLine bytes.
type lineReader struct {
	r      *bufio.Reader
	line   []byte
	long   bool  // the line was longer, and is not in line
	size   int64 // bytes read by the last call of next
	number int   // of the line, from 1
	err    error // after the line; nil if it has a line break
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReaderSize(r, 64<<10)} }

// next reads the next line that is not blank. It returns false if there is none, and
// err tells why. The last line need not end in a line break.
func (l *lineReader) next() bool {
	l.size = 0
	for l.err == nil {
		l.readLine()
		if l.long || len(bytes.TrimSpace(l.line)) > 0 {
			return l.err == nil || l.err == io.EOF
		}
	}
	return false
}

func (l *lineReader) readLine() {
	l.number++
	l.line, l.long, l.err = l.line[:0], false, bufio.ErrBufferFull
	for l.err == bufio.ErrBufferFull {
		var piece []byte
		piece, l.err = l.r.ReadSlice('\n')
		l.size += int64(len(piece))
		if l.long = l.long || len(l.line)+len(piece) > maxLine; !l.long {
			l.line = append(l.line, piece...)
		}
	}
}

// parse returns the line that was read.
func (l *lineReader) parse() Line {
	if l.long {
		return Line{Damage: errLongLine}
	}
	text := bytes.TrimSuffix(l.line, []byte("\n"))
	e, err := parse(text)
	return Line{Text: text, Event: e, Damage: err}
}
