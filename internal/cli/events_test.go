package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// logLine is a line of an event log whose session and model are named so.
func logLine(event, session, model string) string {
	return `{"time":"2026-03-04T12:00:00.000Z","event":"` + event + `","mode":"on","protocol":"anthropic","model":"` + model +
		`","session_id":"` + session + `","images_total":1,"reason":"decode_failed","client_status":400,"request_bytes":100,"duration_ms":1}` + "\n"
}

// logOf writes an event log.
func logOf(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	appendTo(t, path, lines...)
	return path
}

func appendTo(t *testing.T, path string, lines ...string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(strings.Join(lines, ""))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	here := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, here)
	tests := []struct {
		in   string
		want time.Time // zero: a mistake
	}{
		{"2h", now.Add(-2 * time.Hour)},
		{"90m", now.Add(-90 * time.Minute)},
		{"1h30m", now.Add(-90 * time.Minute)},
		{"7d", now.Add(-7 * 24 * time.Hour)},
		{"2026-03-01", time.Date(2026, 3, 1, 0, 0, 0, 0, here)},
		{"2026-03-01 10:30", time.Date(2026, 3, 1, 10, 30, 0, 0, here)},
		{"2026-03-01 10:30:05", time.Date(2026, 3, 1, 10, 30, 5, 0, here)},
		{"2026-03-01T10:30:05Z", time.Date(2026, 3, 1, 10, 30, 5, 0, time.UTC)},
		{"2026-03-01T10:30:05.250-08:00", time.Date(2026, 3, 1, 18, 30, 5, 250e6, time.UTC)},
		{"", time.Time{}},
		{"0", time.Time{}},
		{"0s", time.Time{}},
		{"-2h", time.Time{}},
		{"0d", time.Time{}},
		{"-1d", time.Time{}},
		{"1.5d", time.Time{}},
		{"36501d", time.Time{}},
		{"99999999999999999999d", time.Time{}},
		{"d", time.Time{}},
		{"yesterday", time.Time{}},
		{"2026-02-30", time.Time{}},
	}
	for _, tt := range tests {
		if got, err := since(tt.in, now); !got.Equal(tt.want) || (err != nil) != tt.want.IsZero() {
			t.Errorf("since(%q) = %v, %v; want %v", tt.in, got, err, tt.want)
		}
	}
}

func TestWantsColour(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]bool{
		"TERM=xterm": true, "TERM=dumb": false, "TERM=xterm NO_COLOR=1": false, "TERM=xterm NO_COLOR=": true, "NO_COLOR=0 TERM=xterm": false,
	} {
		vars := map[string]string{}
		for _, v := range strings.Fields(env) {
			name, value, _ := strings.Cut(v, "=")
			vars[name] = value
		}
		if got := wantsColour(func(name string) string { return vars[name] }); got != want {
			t.Errorf("%s: %t", env, got)
		}
	}
}

// following is a command that follows a log, in a bubble.
type following struct {
	*testing.T
	path  string
	out   shared
	err   bytes.Buffer
	done  error
	ended chan struct{}
}

// shared is a buffer that is looked at while it is written to.
type shared struct {
	sync.Mutex
	bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.Buffer.Write(p)
}

func (s *shared) String() string {
	s.Lock()
	defer s.Unlock()
	return s.Buffer.String()
}

func follow(ctx context.Context, t *testing.T, q eventsQuery) *following {
	f := &following{T: t, path: q.path, ended: make(chan struct{})}
	go func() {
		defer close(f.ended)
		f.done = showEvents(ctx, Env{Getenv: func(string) string { return "" }, Stdout: &f.out, Stderr: &f.err}, q)
	}()
	synctest.Wait()
	return f
}

// want checks that the command shows events of these models after a while, and
// not before.
func (f *following) want(after time.Duration, models ...string) {
	f.Helper()
	if after > 0 {
		before := f.out.String()
		time.Sleep(after - 1)
		synctest.Wait()
		if f.out.String() != before {
			f.Error("looks sooner than it should")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
	}
	var got []string
	for line := range strings.Lines(f.out.String()) {
		if cells := strings.Fields(line); len(cells) > 5 && cells[0] != "TIME" {
			got = append(got, cells[5])
		}
	}
	if strings.Join(got, " ") != strings.Join(models, " ") {
		f.Errorf("shows %q, want %q", got, models)
	}
}

func TestFollowEvents(t *testing.T) {
	t.Parallel()
	path := logOf(t, logLine("short_circuited", "s", "a"), logLine("short_circuited", "other", "x"))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		q := eventsQuery{path: path, follow: true}
		q.filter.Session = "s"
		f := follow(ctx, t, q)
		f.want(0, "a")
		f.want(pollInterval, "a")
		appendTo(t, path, logLine("repaired", "s", "b"), logLine("repaired", "t", "x"), "damaged\n")
		f.want(pollInterval, "a", "b")
		if err := os.Rename(path, strings.TrimSuffix(path, ".jsonl")+"-2026-03-04T12-00-00.000.jsonl"); err != nil {
			t.Fatal(err)
		}
		appendTo(t, path, logLine("recovered", "s", "c"))
		f.want(pollInterval, "a", "b", "c")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		f.want(pollInterval, "a", "b", "c")
		appendTo(t, path, logLine("probe_sent", "s", "d"))
		f.want(pollInterval, "a", "b", "c", "d")
		cancel()
		<-f.ended
		if f.done != nil || f.err.String() != "imagebreaker: events: 1 damaged line skipped\n" {
			t.Errorf("%v, %q", f.done, f.err.String())
		}
	})
}

// A log that is not there yet is waited for, which is said.
func TestFollowBeforeTheLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := follow(ctx, t, eventsQuery{path: path, follow: true})
		f.want(pollInterval)
		appendTo(t, path, logLine("repaired", "s", "a"))
		f.want(pollInterval, "a")
		cancel()
		<-f.ended
		if f.done != nil || f.err.String() != "imagebreaker: events: no event log at "+path+" yet; waiting for it\n" {
			t.Errorf("%v, %q", f.done, f.err.String())
		}
	})
}

// A signal ends a follower even while it reads a long log.
func TestFollowEndsWhileReading(t *testing.T) {
	t.Parallel()
	path := logOf(t, strings.Repeat(logLine("repaired", "s", "a"), 100))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	err := showEvents(ended, Env{Getenv: func(string) string { return "" }, Stdout: &out, Stderr: io.Discard}, eventsQuery{path: path, follow: true})
	if n := strings.Count(out.String(), "\n"); err != nil || n != 2 {
		t.Errorf("%v, %d lines, want the heading and one more", err, n)
	}
}

// limited takes so many bytes and then fails.
type limited struct {
	bytes.Buffer
	left int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, l.err
	}
	return l.Buffer.Write(p)
}

// Who closes the pipe has seen enough; a full disk has not.
func TestEventsOutputEnds(t *testing.T) {
	t.Parallel()
	path := logOf(t, strings.Repeat(logLine("repaired", "s", "a"), 1000))
	for _, args := range []string{"", "--json", "--follow", "stats", "stats --json"} {
		for _, tt := range []struct {
			err  error
			code int
			says string
		}{{io.ErrClosedPipe, exitOK, ""}, {errors.New("no space left on device"), exitFailed, "imagebreaker: events: no space left on device\n"}} {
			var errs bytes.Buffer
			out := &limited{left: 500, err: tt.err}
			if strings.HasPrefix(args, "stats") {
				out.left = 0
			}
			code := Run(t.Context(), Env{
				Args:   append([]string{"events", "--events", path}, strings.Fields(args)...),
				Getenv: func(string) string { return "" }, Stdout: out, Stderr: &errs,
			})
			if code != tt.code || errs.String() != tt.says {
				t.Errorf("events %s, %v: exit %d, %q", args, tt.err, code, errs.String())
			}
		}
	}
}

// What the program prints is read as it comes, not at its end.
func TestEventsIsBuffered(t *testing.T) {
	t.Parallel()
	path := logOf(t, strings.Repeat(logLine("repaired", "s", "a"), 1000))
	var writes counter
	code := Run(t.Context(), Env{Args: []string{"events", "--events", path}, Getenv: func(string) string { return "" }, Stdout: &writes, Stderr: io.Discard})
	if code != exitOK || writes.n == 0 || writes.n > 100 {
		t.Errorf("exit %d, %d writes for 1000 lines", code, writes.n)
	}
}

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n++
	return len(p), nil
}

// FuzzEvents checks that all views show the same events of any log.
func FuzzEvents(f *testing.F) {
	const event = `{"time":"2026-03-04T12:00:00.000Z","event":"e"}`
	f.Add(event + "\n{\n\n" + event)
	f.Fuzz(func(t *testing.T, log string) {
		path := logOf(t, log)
		raw := call("", "events", "--events", path, "--json")
		for line := range strings.Lines(raw.stdout) {
			if !strings.Contains(log, strings.TrimSuffix(line, "\n")) {
				t.Errorf("%q is not in the log", line)
			}
		}
		table := call("", "events", "--events", path)
		stats := call("", "events", "stats", "--events", path)
		if raw.code != exitOK || table.code != exitOK || stats.code != exitOK {
			t.Errorf("exit %d, %d, %d", raw.code, table.code, stats.code)
		}
		if n := strings.Count(table.stdout, "\n"); n > 0 && n != strings.Count(raw.stdout, "\n")+1 {
			t.Errorf("%d lines in the table, %d events", n, strings.Count(raw.stdout, "\n"))
		}
	})
}

// reads reads from r in the background, a line at a time.
func reads(r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}
