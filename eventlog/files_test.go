package eventlog

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// logDir is the directory of a log.
type logDir struct {
	*testing.T
	dir string
}

func newLogDir(t *testing.T) logDir { return logDir{t, t.TempDir()} }

func (f logDir) log() string { return filepath.Join(f.dir, "events.jsonl") }

// rotatedName returns the name of a file that was rotated n seconds after noon.
func rotatedName(n int) string { return fmt.Sprintf("events-2026-03-04T12-00-%02d.000.jsonl", n) }

// add appends to a file of the directory, which is created if it does not exist.
func (f logDir) add(name, text string) {
	f.Helper()
	h, err := os.OpenFile(filepath.Join(f.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	f.must(err)
	_, err = h.WriteString(text)
	f.must(errors.Join(err, h.Close()))
}

func (f logDir) rename(from, to string) {
	f.Helper()
	f.must(os.Rename(filepath.Join(f.dir, from), filepath.Join(f.dir, to)))
}

func (f logDir) remove(name string) {
	f.Helper()
	f.must(os.Remove(filepath.Join(f.dir, name)))
}

// rotate rotates the log n seconds after noon.
func (f logDir) rotate(n int) {
	f.Helper()
	f.rename("events.jsonl", rotatedName(n))
	f.add("events.jsonl", "")
}

// compress replaces a file by its compressed form.
func (f logDir) compress(name string) {
	f.Helper()
	plain, err := os.ReadFile(filepath.Join(f.dir, name))
	f.must(err)
	f.add(name+".gz", zipped(string(plain)))
	f.remove(name)
}

func (f logDir) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s)) // writing to a buffer cannot fail
	z.Close()
	return b.String()
}

// of returns the lines of events with these request ids.
func of(ids ...string) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(encoded(*named(id)))
	}
	return b.String()
}

// summarize returns a word for each value that Lines yields: the event's request id,
// "damaged", or the error's text.
func summarize(path string, more func() bool) []string {
	var list []string
	for line, err := range Lines(path, more) {
		switch {
		case err != nil:
			list = append(list, err.Error())
		case line.Damage != nil:
			list = append(list, "damaged")
		default:
			list = append(list, line.Event.RequestID)
		}
	}
	return list
}

func TestLinesOfFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"one file", map[string]string{"events.jsonl": of("a", "b")}, "a b"},
		{"empty", map[string]string{"events.jsonl": ""}, ""},
		{"last line without a break", map[string]string{"events.jsonl": of("a") + strings.TrimSpace(of("b"))}, "a b"},
		{"truncated", map[string]string{"events.jsonl": of("a") + of("b")[:40]}, "a damaged"},
		{"damaged and blank", map[string]string{"events.jsonl": "x\n\n \n" + of("a") + strings.Repeat("y", maxLine+1) + "\n" + of("b")}, "damaged a damaged b"},
		{"rotated, oldest first", map[string]string{"events.jsonl": of("e"), rotatedName(2): of("c", "d"), rotatedName(1): of("a", "b")}, "a b c d e"},
		{"rotated, truncated", map[string]string{"events.jsonl": of("b"), rotatedName(1): of("a") + "{"}, "a damaged b"},
		{"only rotated", map[string]string{rotatedName(1): of("a")}, "a"},
		{"compressed", map[string]string{"events.jsonl": of("c"), rotatedName(2): of("b"), rotatedName(1) + ".gz": zipped(of("a"))}, "a b c"},
		{"being compressed", map[string]string{"events.jsonl": of("b"), rotatedName(1): of("a"), rotatedName(1) + ".gz": zipped(of("a"))[:20]}, "a b"},
		{"compressed, truncated", map[string]string{"events.jsonl": of("b"), rotatedName(1) + ".gz": zipped(of("a"))[:20]}, "damaged b"},
		{"not compressed at all", map[string]string{"events.jsonl": of("b"), rotatedName(1) + ".gz": of("a")}, "damaged b"},
		{"compressed, checksum wrong", map[string]string{"events.jsonl": of("b"), rotatedName(1) + ".gz": zipped(of("a"))[:len(zipped(of("a")))-8] + "12345678"}, "a damaged b"},
		{"compressed, nothing in it", map[string]string{"events.jsonl": of("b"), rotatedName(1) + ".gz": zipped(""), rotatedName(2) + ".gz": ""}, "b"},
		{"other files", map[string]string{"events.jsonl": of("a"), "events-2026.jsonl": of("x"), "events-.jsonl": of("x"), "events.jsonl.1": of("x"),
			"other-2026-03-04T12-00-01.000.jsonl": of("x"), "events-2026-03-04T12-00-01.000.jsonl.bz2": of("x"), "events-2026-03-04T12-00-01.000": of("x"), "repairs.json": "{}"}, "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newLogDir(t)
			for name, text := range tt.files {
				f.add(name, text)
			}
			if got := summarize(f.log(), nil); !slices.Equal(got, strings.Fields(tt.want)) {
				t.Errorf("%q, want %s", got, tt.want)
			}
		})
	}
}

// The path may be that of a rotated file.
func TestLinesOfOneFile(t *testing.T) {
	t.Parallel()
	f := newLogDir(t)
	f.add("old.jsonl.gz", zipped(of("a", "b")))
	f.add("log", of("c"))
	f.add("log-2026-03-04T12-00-01.000", of("b"))
	for name, want := range map[string]string{"old.jsonl.gz": "a b", "log": "b c"} {
		if got := summarize(filepath.Join(f.dir, name), nil); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", name, got, want)
		}
	}
}

func TestLinesAreUnchanged(t *testing.T) {
	t.Parallel()
	f := newLogDir(t)
	text := []string{`{"later":1, "time":"2026-03-04T12:00:00.005Z","event":"repaired"} `, "broken", ok + "\r"}
	f.add("events.jsonl", strings.Join(text, "\n"))
	i := 0
	for line, err := range Lines(f.log(), nil) {
		f.must(err)
		if string(line.Text) != text[i] || (line.Damage != nil) != (i == 1) {
			t.Errorf("line %d: %q, %v", i, line.Text, line.Damage)
		}
		i++
	}
	if i != len(text) {
		t.Errorf("%d lines", i)
	}
}

func TestLinesWithoutLog(t *testing.T) {
	t.Parallel()
	f := newLogDir(t)
	f.must(os.Mkdir(filepath.Join(f.dir, rotatedName(1)), 0o700)) // not a file
	for _, path := range []string{f.log(), filepath.Join(f.dir, "no", "folder", "events.jsonl")} {
		n := 0
		for _, err := range Lines(path, nil) {
			if n++; !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", path, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d yields", path, n)
		}
	}
	if got := summarize(f.dir, nil); len(got) != 1 || !strings.Contains(got[0], "no regular file") {
		t.Errorf("a folder: %q", got)
	}
}

// A file that is rotated while the log is being opened is read once.
func TestOpenDuringRotation(t *testing.T) {
	t.Parallel()
	f := newLogDir(t)
	f.add(rotatedName(1), of("a"))
	f.add("events.jsonl", of("b"))
	now, err := openPart(f.log())
	f.must(err)
	defer now.Close()
	f.rotate(2)
	f.add("events.jsonl", of("c"))
	f.rotate(3)
	c := chain{path: f.log()}
	parts, err := c.openRotated(now)
	f.must(err)
	defer closeAll(parts)
	if len(parts) != 1 || filepath.Base(parts[0].Name()) != rotatedName(1) {
		t.Errorf("%d parts before the one that was open", len(parts))
	}
	if rest := c.rotated(); len(rest) != 2 {
		t.Errorf("%v are left for the next call, want two", rest)
	}
}

// A file may be renamed or removed after the directory was read.
func TestRotatedFileRenamed(t *testing.T) {
	t.Parallel()
	f := newLogDir(t)
	f.add(rotatedName(1), of("a"))
	r := rotatedFile{name: filepath.Join(f.dir, rotatedName(1))}
	for _, step := range []func(){
		func() {},
		func() { f.compress(rotatedName(1)) },
	} {
		step()
		p, err := r.open()
		f.must(err)
		if p == nil {
			t.Fatal("not found")
		}
		p.Close()
	}
	f.remove(rotatedName(1) + ".gz")
	if p, err := r.open(); p != nil || err != nil {
		t.Errorf("%v, %v", p, err)
	}
}

func TestLinesBreak(t *testing.T) {
	t.Parallel()
	f := newLogDir(t)
	f.add(rotatedName(1)+".gz", "no gzip")
	f.add(rotatedName(2), of("a", "b"))
	f.add("events.jsonl", of("c", "d"))
	for stop := 1; stop <= 5; stop++ {
		n := 0
		for _, err := range Lines(f.log(), func() bool { t.Error("asked for more"); return false }) {
			f.must(err)
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d yields, want %d", n, stop)
		}
	}
}
