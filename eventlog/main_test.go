package eventlog

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Lumberjack's goroutine that removes old files outlives its logger.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun"))
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 5_999_999, time.UTC)

// encoded returns e's line.
func encoded(e Event) string { return string(e.JSON()) + "\n" }

// newTestFile returns a file that is closed at the end of the test, and its warnings
// so far.
func newTestFile(t *testing.T, path string) (*file, *[]string) {
	t.Helper()
	var warnings []string
	f := newFile(Config{Path: path, MaxSizeMB: 1}, newWarner(func(line string) { warnings = append(warnings, line) }))
	t.Cleanup(f.close)
	return f, &warnings
}

// named returns an event that is identified by its request id.
func named(id string) *Event {
	return &Event{Time: Time{noon}, Event: "repaired", Protocol: "openai_chat", RequestID: id}
}

// readIDs returns the request ids of the events in the file at path.
func readIDs(t *testing.T, path string) []string {
	t.Helper()
	h, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var ids []string
	for e, err := range Read(h) {
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		ids = append(ids, e.RequestID)
	}
	return ids
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %o, want %o", filepath.Base(path), got, want)
	}
}

// wantWarnings checks that there is one warning for each of parts, which contains it,
// and that each is a single line.
func wantWarnings(t *testing.T, warnings []string, parts ...string) {
	t.Helper()
	if len(warnings) != len(parts) {
		t.Fatalf("warnings %q, want %d", warnings, len(parts))
	}
	for i, part := range parts {
		if !strings.Contains(warnings[i], part) || strings.Contains(warnings[i], "\n") {
			t.Errorf("warning %q, want one line with %q", warnings[i], part)
		}
	}
}

// fullDisk writes the first half of a line while it is full, as a real one may.
type fullDisk struct {
	io.WriteCloser
	full bool
}

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(line []byte) (int, error) {
	if !d.full {
		return d.WriteCloser.Write(line)
	}
	n, err := d.WriteCloser.Write(line[:len(line)/2])
	return n, errors.Join(err, errFull)
}

// gate is a disk that hangs until it is opened.
type gate struct {
	entered chan struct{} // receives one value per write
	opened  chan struct{}
	bytes.Buffer
}

func newGate() *gate {
	return &gate{entered: make(chan struct{}, 100), opened: make(chan struct{})}
}

func (g *gate) Write(line []byte) (int, error) {
	g.entered <- struct{}{}
	<-g.opened
	return g.Buffer.Write(line)
}

func (g *gate) Close() error { return nil }
