package eventlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	lumberjack "gopkg.in/natefinch/lumberjack.v2"
)

// file is the log's place on disk. Only one goroutine uses it.
//
// A write opens the file if it is not open. Any trouble closes it, so that the
// next event finds out by itself whether the trouble has passed.
type file struct {
	path    string
	warn    *warner
	open    func(path string) (*os.File, error)
	rotated io.WriteCloser

	out  io.WriteCloser // nil when not open
	info fs.FileInfo    // of the file that out writes to
}

func newFile(c Config, warn *warner) *file {
	return &file{
		path: c.Path,
		warn: warn,
		open: openPrivate,
		rotated: &lumberjack.Logger{
			Filename:   c.Path,
			MaxSize:    positive(c.MaxSizeMB, 10),
			MaxBackups: positive(c.MaxBackups, 5),
		},
	}
}

// put writes e and reports whether it could.
func (f *file) put(e *Event) bool { return f.write(append(e.line(), '\n')) == nil }

func (f *file) write(line []byte) error {
	if f.out != nil && f.displaced() {
		f.close()
	}
	if f.out == nil {
		if err := f.reopen(); err != nil {
			return err
		}
	}
	if _, err := f.out.Write(line); err != nil {
		f.close()
		return f.failed("write", err)
	}
	return nil
}

// failed warns of err and returns it.
func (f *file) failed(kind string, err error) error {
	f.warn.once(kind, fmt.Sprintf("%v; events are dropped until this is mended", err))
	return err
}

// displaced reports whether the path leads elsewhere than to the open file: its
// folder was removed, or has become a file, or it was rotated, by us or by
// another process.
func (f *file) displaced() bool {
	now, err := os.Lstat(f.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	return !os.SameFile(now, f.info)
}

func (f *file) close() {
	if f.out != nil {
		f.out.Close() // nothing is buffered that could be lost here
		f.out = nil
	}
}

// reopen prepares the file itself before the rotation opens it: whatever the
// umask, only the owner may read it, and no symbolic link is followed.
func (f *file) reopen() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return f.failed("folder", err)
	}
	h, err := f.open(f.path)
	if err != nil {
		return f.failed("open", err)
	}
	info, err := h.Stat()
	if err != nil {
		h.Close()
		return f.failed("open", err)
	}
	// A device, /dev/null for one, is written as it is: a rotation would
	// rename it.
	if info.Mode()&fs.ModeDevice != 0 {
		f.out, f.info = h, info
		return nil
	}
	defer h.Close()
	return f.adopt(h, info)
}

// adopt makes the open file h the one that the rotation writes to.
func (f *file) adopt(h *os.File, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return f.failed("open", fmt.Errorf("%s is neither a regular file nor a device", f.path))
	}
	if err := makePrivate(h, info); err != nil {
		f.warn.once("mode", fmt.Sprintf("others may read the file: %v", err))
	}
	if err := mendLastLine(h, info.Size()); err != nil {
		return f.failed("write", err)
	}
	f.out, f.info = f.rotated, info
	return nil
}

// mendLastLine ends a line that was cut short by a full disk or a crash, so
// that only that event is damaged and not the next one as well.
func mendLastLine(h *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	last := make([]byte, 1)
	if _, err := h.ReadAt(last, size-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err := h.Write([]byte("\n"))
	return err
}
