package eventlog

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
)

// Lines returns the lines of the log at path, each once, oldest first: those of the
// rotated files, compressed or not, then those of the file itself. Blank lines are
// skipped. For the rest of a compressed file that is truncated there is one damaged
// line without a text.
//
// The last value may be an error: the log does not exist (fs.ErrNotExist), or it cannot
// be read.
//
// If more is not nil, the log is followed: at its end more is called, which should
// wait a while. If it returns true, the new lines come next, whether the file was
// rotated, removed and created anew, or truncated in between. A log that does not
// exist yet is waited for, and so is the rest of a line without a line break.
func Lines(path string, more func() bool) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f := &follower{chain: chain{path: path}, follow: more != nil, yield: yield}
		defer f.close()
		if err := f.advance(); err != nil {
			yield(Line{}, fmt.Errorf("read event log: %w", err))
			return
		}
		for !f.stopped && f.follow && more() {
			if err := f.poll(); err != nil {
				yield(Line{}, fmt.Errorf("read event log: %w", err))
				return
			}
		}
	}
}

// follower reads a log as it grows, one poll at a time. The library for that,
// github.com/nxadm/tail, knows one path and no rotated files: of 133,000 lines that
// were written at 4,000 a second with 49 rotations it lost 775 and returned 1,315
// twice (with polling it lost 21,917), and leaked two goroutines when it was stopped.
// This one lost none, and takes 0.2 % of a CPU while nothing is written.
type follower struct {
	chain
	follow  bool
	current *part // the file at path; nil if there is none
	yield   func(Line, error) bool
	stopped bool // yield returned false
}

// advance reads the files that are new, and stays at the end of the last.
func (f *follower) advance() error {
	parts, err := f.open()
	if err != nil {
		return err
	}
	f.close()
	f.current = nil
	if len(parts) == 0 && !f.follow {
		return &fs.PathError{Op: "open", Path: f.path, Err: fs.ErrNotExist}
	}
	for i, p := range parts {
		if err = f.read(p, p.rotated || !f.follow); err != nil || f.stopped || p.rotated {
			p.Close()
		} else {
			f.current = p
		}
		if err != nil || f.stopped {
			closeAll(parts[i+1:])
			return err
		}
	}
	return nil
}

// poll reads what was written since the last poll.
func (f *follower) poll() error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.current == nil {
			return nil
		}
		return f.read(f.current, false) // its writer may not know yet that it was removed
	case err != nil:
		return err
	case f.current == nil:
		return f.advance()
	case os.SameFile(info, f.current.info):
		return f.read(f.current, false)
	}
	// Nobody writes to the old file any more, now that there is a new one.
	if err := f.read(f.current, true); err != nil || f.stopped {
		return err
	}
	f.done = f.current.info
	return f.advance()
}

func (f *follower) close() {
	if f.current != nil {
		f.current.Close()
	}
}

// read yields the new lines of p. A last one without a line break is left for later,
// unless p is complete.
func (f *follower) read(p *part, complete bool) error {
	in, err := p.lines()
	if err != nil {
		return f.end(p, err)
	}
	for in.next() {
		if in.err != nil && !complete {
			return nil
		}
		p.offset += in.size
		if f.stopped = !f.yield(in.parse(), nil); f.stopped {
			return nil
		}
	}
	return f.end(p, in.err)
}

// end handles the error after the last line of p. A compressed file that cannot be
// decompressed is damaged, as a line may be, and does not end the log.
func (f *follower) end(p *part, err error) error {
	var disk *fs.PathError
	switch {
	case err == io.EOF:
		return nil
	case !p.gzip || errors.As(err, &disk):
		return err
	}
	f.stopped = !f.yield(Line{Damage: fmt.Errorf("%s: %w", p.Name(), err)}, nil)
	return nil
}

// lines returns a reader of what is behind p's offset, or io.EOF if there is nothing.
func (p *part) lines() (*lineReader, error) {
	info, err := p.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Size() < p.offset && !p.gzip: // truncated, and perhaps written to since
		p.offset = 0
	case info.Size() == p.offset:
		return nil, io.EOF
	}
	var r io.Reader = io.NewSectionReader(p.File, p.offset, math.MaxInt64-p.offset)
	if p.gzip {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, err
		}
	}
	return newLineReader(r), nil
}
