package eventlog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	lumberjack "gopkg.in/natefinch/lumberjack.v2"
)

// file is the log on disk. It must be used by one goroutine only.
//
// A write opens the file if it is not open. Any problem closes it, so that the next
// event finds out whether the problem persists.
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
			MaxSize:    cmp.Or(c.MaxSizeMB, 10),
			MaxBackups: cmp.Or(c.MaxBackups, 5),
		},
	}
}

// put writes e and reports whether that succeeded.
func (f *file) put(e *Event) bool { return f.write(append(e.line(), '\n')) == nil }

func (f *file) write(line []byte) error {
	if f.out != nil && f.replaced() {
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

// failed reports err and returns it.
func (f *file) failed(kind string, err error) error {
	f.warn.once(kind, fmt.Sprintf("%v; events are dropped until this is fixed", err))
	return err
}

// replaced reports whether the open file is not the one at the path any more: it was
// rotated, here or by another process, or its directory was removed or replaced by a
// file.
func (f *file) replaced() bool {
	now, err := os.Lstat(f.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	return !os.SameFile(now, f.info)
}

func (f *file) close() {
	if f.out != nil {
		f.out.Close() // nothing is buffered, so nothing is lost by an error
		f.out = nil
	}
}

// reopen opens the file before lumberjack does: whatever the umask, only the owner may
// read it, and no symbolic link is followed.
func (f *file) reopen() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return f.failed("directory", err)
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
	// A device, such as /dev/null, is written directly: a rotation would rename it.
	if info.Mode()&fs.ModeDevice != 0 {
		f.out, f.info = h, info
		return nil
	}
	defer h.Close()
	return f.adopt(h, info)
}

// adopt prepares the open file h for lumberjack, which then writes to it.
func (f *file) adopt(h *os.File, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return f.failed("open", fmt.Errorf("%s is neither a regular file nor a device", f.path))
	}
	if err := makePrivate(h, info); err != nil {
		f.warn.once("mode", fmt.Sprintf("others may read the file: %v", err))
	}
	if err := endLastLine(h, info.Size()); err != nil {
		return f.failed("write", err)
	}
	f.out, f.info = f.rotated, info
	return nil
}

// endLastLine ends a line that was truncated by a full disk or a crash, so that the
// next event is not damaged with it.
func endLastLine(h *os.File, size int64) error {
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
