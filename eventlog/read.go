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

// Read returns the events in r, in order. A damaged line, or one longer than
// 1 MiB, gives an error that tells its number, and reading goes on with the
// next; an error of r itself comes last. Blank lines and unknown fields are
// skipped.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		in := lineReader{r: bufio.NewReaderSize(r, 64<<10)}
		for in.next() {
			if line := bytes.TrimSpace(in.line); len(line) == 0 && !in.long {
				continue
			}
			if !yield(in.event()) {
				return
			}
		}
		if in.err != io.EOF {
			yield(Event{}, fmt.Errorf("read line %d: %w", in.number, in.err))
		}
	}
}

// lineReader goes through lines, of which it keeps no more than maxLine bytes.
type lineReader struct {
	r      *bufio.Reader
	line   []byte
	long   bool  // line was longer, and is gone
	ended  bool  // line has its line break
	size   int64 // bytes of the line, those that are gone included
	number int   // from 1
	err    error
}

// next reads the next line. It reports false if there is none, and err tells
// why. The last line need not end in a line break.
func (l *lineReader) next() bool {
	if l.err != nil {
		return false
	}
	l.line, l.long, l.size = l.line[:0], false, 0
	l.number++
	for {
		var piece []byte
		piece, l.err = l.r.ReadSlice('\n')
		l.keep(piece)
		if l.err != bufio.ErrBufferFull {
			break
		}
	}
	l.ended = l.err == nil
	return l.err == nil || l.err == io.EOF && (l.long || len(l.line) > 0)
}

func (l *lineReader) keep(piece []byte) {
	l.size += int64(len(piece))
	if l.long = l.long || len(l.line)+len(piece) > maxLine; l.long {
		l.line = l.line[:0]
		return
	}
	l.line = append(l.line, piece...)
}

func (l *lineReader) event() (Event, error) {
	if l.long {
		return Event{}, fmt.Errorf("line %d: %w", l.number, errLongLine)
	}
	e, err := parse(l.line)
	if err != nil {
		return Event{}, fmt.Errorf("line %d: %w", l.number, err)
	}
	return e, nil
}
