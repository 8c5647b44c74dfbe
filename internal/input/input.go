// Package input reads files that the user names, up to a limit. Its errors suggest
// a remedy and leave the name of the file to the caller.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"imagebreaker/internal/report"
)

// Read returns the content of the file, or of stdin if the name is "-". A nil
// stdin is empty. More than limit bytes are an error.
func Read(name string, stdin io.Reader, limit int64) ([]byte, error) {
	if name == "-" {
		return readAtMost(stdin, 0, limit)
	}
	return File(name, limit)
}

// File returns the content of the file. More than limit bytes are an error, and
// so is anything but a regular file.
func File(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name) // first, because opening a pipe waits for its writer
	if err != nil {
		return nil, cause(err)
	}
	if err := regular(info.Mode()); err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, tooLarge(limit)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	return readAtMost(f, info.Size(), limit)
}

// readAtMost reads all of r, whose size is estimated as expected.
func readAtMost(r io.Reader, expected, limit int64) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	var b bytes.Buffer
	b.Grow(int(min(expected, limit)) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, cause(err)
	}
	if int64(b.Len()) > limit {
		return nil, tooLarge(limit)
	}
	return b.Bytes(), nil
}

func regular(mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errFolder
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("this is a pipe; give what comes out of it on standard input, as -")
	case mode&fs.ModeSocket != 0:
		return errors.New("this is a socket; give the path of a file")
	case mode&fs.ModeDevice != 0:
		return errors.New("this is a device; give the path of a file, or - for standard input")
	}
	return errors.New("this is no regular file")
}

var errFolder = errors.New("this is a folder; give the path of a file")

// CheckFile returns an error if the name is that of a folder. The file need not
// exist yet.
func CheckFile(name string) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return errFolder
	}
	return nil
}

func tooLarge(limit int64) error {
	return fmt.Errorf("larger than %s, which is as much as is read", report.Bytes(limit))
}

// cause strips the path from a file error.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
