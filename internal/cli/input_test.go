package cli

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
)

func TestOperands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args string
		json bool
		n    int
		want string
	}{
		{"", false, 0, ""},
		{"a", false, 0, "a"},
		{"a b c", false, 0, "a b c"},
		{"--json a", true, 0, "a"},
		{"a --json", true, 0, "a"},
		{"a --n 3 b -json c", true, 3, "a b c"},
		{"--n=3 a --n=4", false, 4, "a"},
		{"a --json=false", false, 0, "a"},
		{"-", false, 0, "-"},
		{"- --json -", true, 0, "- -"},
		{"-- --json", false, 0, "--json"},
		{"a -- --json b", false, 0, "a --json b"},
		{"a --json -- b -- c", true, 0, "a b -- c"},
		{"--", false, 0, ""},
		{"--json", true, 0, ""},
	}
	for _, tt := range tests {
		set := newFlags("test")
		json, n := set.Bool("json", false, ""), set.Int("n", 0, "")
		got, err := operands(set, strings.Fields(tt.args))
		if err != nil || *json != tt.json || *n != tt.n || !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%q: json %t, n %d, %q, %v; want %t, %d, %q", tt.args, *json, *n, got, err, tt.json, tt.n, tt.want)
		}
	}
}

func TestOperandsMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args, want string
	}{
		{"--x", "-x"},
		{"a --x", "-x"},
		{"a --n", "-n"},
		{"a --n x b", "-n"},
		{"a ---", "bad flag"},
	}
	for _, tt := range tests {
		set := newFlags("test")
		set.Int("n", 0, "")
		if got, err := operands(set, strings.Fields(tt.args)); err == nil || got != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %q, %v, want an error with %q", tt.args, got, err, tt.want)
		}
	}
	if _, err := operands(newFlags("test"), []string{"a", "--help", "--x"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("help behind an operand: %v", err)
	}
}

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

func TestReadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := Env{Stdin: strings.NewReader("standard input")}
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
		got, err := readInput(env, tt.name, tt.limit)
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

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                  "",
		"a.png":             "a.png",
		"Ünïcode 画像.png":    "Ünïcode 画像.png",
		"two words":         "two words",
		"a\tb":              `"a\tb"`,
		"a\nb":              `"a\nb"`,
		"\x1b[31mred":       `"\x1b[31mred"`,
		"gnp.\u202eexe.png": `"gnp.\u202eexe.png"`,
		"\xff":              `"\xff"`,
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a.png")
	f.Add("\x1b[2J\u202e\xff\n")
	f.Fuzz(func(t *testing.T, name string) {
		if got := printable(name); strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("printable(%q) = %q", name, got)
		}
	})
}

// full is a disk on which nothing has room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestFullDisk: a script that collects results must hear that it has none.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	image, err := testdata("images", "basn2c16.png")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"inspect " + image, "inspect --json " + image, "explain -", "explain --json -"} {
		var errs bytes.Buffer
		code := Run(t.Context(), Env{Args: strings.Fields(line), Stdin: strings.NewReader("{}"), Stdout: full{}, Stderr: &errs})
		if code != exitFailed || !isOneLine(errs.String()) || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: exit %d, stderr %q", line, code, errs.String())
		}
	}
}
