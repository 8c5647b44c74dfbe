package input

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadAtMost(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := []struct {
		name  string
		r     io.Reader
		limit int64
		want  string
		err   string
	}{
		{"nothing", nil, 4, "", ""},
		{"empty", strings.NewReader(""), 4, "", ""},
		{"less", strings.NewReader("abc"), 4, "abc", ""},
		{"as much", strings.NewReader("abcd"), 4, "abcd", ""},
		{"more", strings.NewReader("abcde"), 4, "", "larger than 4 B"},
		{"without end", endless{}, 1 << 20, "", "larger than 1.0 MiB"},
		{"byte by byte", iotest.OneByteReader(strings.NewReader("abcd")), 4, "abcd", ""},
		{"broken", iotest.ErrReader(broken), 4, "", "broken"},
	}
	for _, tt := range tests {
		got, err := readAtMost(tt.r, 3, tt.limit)
		if string(got) != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v; want %q, %q", tt.name, got, err, tt.want, tt.err)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdin := strings.NewReader("standard input")
	tests := []struct {
		name      string
		limit     int64
		want, err string
	}{
		{path, 7, "content", ""},
		{path, 6, "", "larger than 6 B"},
		{"-", 100, "standard input", ""},
		{"-", 100, "", ""}, // it can be read once
		{dir, 100, "", "this is a folder"},
		{path + "x", 100, "", "no such file"},
		{path + "/x", 100, "", "not a directory"},
		{"", 100, "", "no such file"},
	}
	for _, tt := range tests {
		got, err := Read(tt.name, stdin, tt.limit)
		if string(got) != tt.want || (err == nil) != (tt.err == "") || err != nil && (!strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), dir)) {
			t.Errorf("%s: %q, %v; want %q, %q", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func TestRegular(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode fs.FileMode
		want string // "": regular
	}{
		{0o600, ""},
		{0o755 | fs.ModeSetuid, ""},
		{fs.ModeDir | 0o755, "folder"},
		{fs.ModeNamedPipe, "pipe"},
		{fs.ModeSocket, "socket"},
		{fs.ModeDevice, "device"},
		{fs.ModeDevice | fs.ModeCharDevice, "device"},
		{fs.ModeIrregular, "no regular file"},
	}
	for _, tt := range tests {
		if err := regular(tt.mode); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.mode, err, tt.want)
		}
	}
}
