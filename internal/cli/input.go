package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode"

	"imagebreaker/internal/report"
)

// newFlags is a set of flags whose mistakes the caller tells.
func newFlags(name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set
}

// operands reads the flags out of args, wherever they stand, and returns the
// rest. Package flag by itself stops at the first operand.
func operands(set *flag.FlagSet, args []string) ([]string, error) {
	var out []string
	for {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		rest := set.Args()
		read := len(args) - len(rest)
		if len(rest) == 0 || read > 0 && args[read-1] == "--" { // nothing behind -- is a flag
			return append(out, rest...), nil
		}
		out, args = append(out, rest[0]), rest[1:]
	}
}

// readInput returns what the file holds, or standard input if its name is "-".
// More than limit bytes are an error. Errors do not name the file.
func readInput(env Env, name string, limit int64) ([]byte, error) {
	if name == "-" {
		return readAtMost(env.Stdin, 0, limit)
	}
	return readFile(name, limit)
}

// readFile returns what the file holds. More than limit bytes are an error, and
// so is what is no regular file.
func readFile(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name) // before it is opened: to open a pipe waits for its writer
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

// readAtMost reads r, of which about expected bytes are expected.
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

// regular says of what is no regular file what it is.
func regular(mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errors.New("this is a folder; give the path of a file")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("this is a pipe; give what comes out of it on standard input, as -")
	case mode&fs.ModeSocket != 0:
		return errors.New("this is a socket; give the path of a file")
	case mode&fs.ModeDevice != 0:
		return errors.New("this is a device; give the path of a file, or - for standard input")
	}
	return errors.New("this is no regular file")
}

func tooLarge(limit int64) error {
	return fmt.Errorf("larger than %s, which is as much as is read", report.Bytes(limit))
}

// cause is a file error without the path, which the message names anyway.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// printable is a name as a terminal may show it. A file may be called anything.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}
