package eventlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCloseFlushes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	l, err := Open(Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 1000 {
		id := fmt.Sprint(i)
		want = append(want, id)
		l.Write(*named(id))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, readIDs(t, path)); diff != "" || l.Dropped() != 0 {
		t.Errorf("%d dropped; events (-want +got):\n%.1000s", l.Dropped(), diff)
	}
}

func TestTimeOfWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	l, err := Open(Config{Path: path, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	l.Write(Event{Event: "started"})
	l.Write(Event{Event: "stopped", Time: Time{noon.Add(time.Hour)}})
	l.Close()
	text, err := os.ReadFile(path)
	want := `{"time":"2026-03-04T12:00:00.005Z","event":"started"}` + "\n" + `{"time":"2026-03-04T13:00:00.005Z","event":"stopped"}` + "\n"
	if string(text) != want {
		t.Errorf("%v, got\n%swant\n%s", err, text, want)
	}
}

func TestClosedLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	l, err := Open(Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		l.Write(*named("late"))
	}
	if l.Dropped() != 2 {
		t.Errorf("%d dropped, want 2", l.Dropped())
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a log without events made a file")
	}
}

func TestNilLog(t *testing.T) {
	t.Parallel()
	var l *Log
	l.Write(*named("1"))
	if err := l.Close(); err != nil || l.Dropped() != 0 {
		t.Errorf("close: %v, %d dropped", err, l.Dropped())
	}
}

// Eight goroutines write while another closes: every line is complete, the events of
// each goroutine stay in order, and every event is written or counted.
func TestParallelWriters(t *testing.T) {
	t.Parallel()
	const writers, events = 8, 500
	path := filepath.Join(t.TempDir(), "events.jsonl")
	l, err := Open(Config{Path: path, Queue: writers * events})
	if err != nil {
		t.Fatal(err)
	}
	var all, half sync.WaitGroup
	half.Add(writers)
	for w := range writers {
		all.Go(func() {
			for i := range events {
				if i == events/2 {
					half.Done()
				}
				e := named(fmt.Sprintf("%d %05d", w, i))
				e.Model = strings.Repeat("m", i%256)
				l.Write(*e)
			}
		})
	}
	half.Wait()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	ids := readIDs(t, path)
	if len(ids) < writers*events/2 || len(ids)+l.Dropped() != writers*events {
		t.Errorf("%d written, %d dropped, want %d together", len(ids), l.Dropped(), writers*events)
	}
	last := make(map[string]string)
	for _, id := range ids {
		writer, _, _ := strings.Cut(id, " ")
		if id <= last[writer] {
			t.Errorf("%q after %q", id, last[writer])
		}
		last[writer] = id
	}
}

// Two proxies that share a log do not interleave their lines.
func TestTwoLogsOnOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	var all sync.WaitGroup
	for range 2 {
		l, err := Open(Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			for i := range 500 {
				l.Write(*named(fmt.Sprint(i)))
			}
			l.Close()
		})
	}
	all.Wait()
	if n := len(readIDs(t, path)); n != 1000 {
		t.Errorf("%d events, want 1000", n)
	}
}

// hangingLog returns a log whose disk hangs in the first event, until the gate is
// opened.
func hangingLog(t *testing.T, c Config) (*Log, *gate) {
	t.Helper()
	c.Path = filepath.Join(t.TempDir(), "events.jsonl")
	g := newGate()
	warn := newWarner(c.Warn)
	f := newFile(c, warn)
	f.rotated = g
	l := start(c, warn, f)
	l.Write(*named("first"))
	<-g.entered
	return l, g
}

func TestQueueFull(t *testing.T) {
	t.Parallel()
	var warnings []string
	l, g := hangingLog(t, Config{Queue: 3, Warn: func(line string) { warnings = append(warnings, line) }})
	l.Write(*named("1"))
	l.Write(*named("2"))
	l.Write(Event{Event: "stopped", Dropped: 1})
	for range 4 {
		l.Write(*named("lost"))
	}
	if l.Dropped() != 4 {
		t.Errorf("%d dropped, want 4", l.Dropped())
	}
	close(g.opened)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	var got []string
	for e, err := range Read(&g.Buffer) {
		if err != nil {
			t.Error(err)
		}
		got = append(got, fmt.Sprint(e.Event, e.RequestID, e.Dropped))
	}
	if diff := cmp.Diff([]string{"repairedfirst0", "repaired10", "repaired20", "stopped4"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantWarnings(t, warnings, "faster than they can be written")
}

func TestCloseGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, g := hangingLog(t, Config{})
		for range 3 {
			l.Write(*named("waits"))
		}
		before := time.Now()
		err := l.Close()
		if took := time.Since(before); took != 5*time.Second {
			t.Errorf("gave up after %v, want 5s", took)
		}
		if err == nil || !strings.Contains(err.Error(), "3 events still wait") || !strings.Contains(err.Error(), l.out.path) {
			t.Errorf("error %v", err)
		}
		close(g.opened) // the disk is back: what is still queued is dropped, and the goroutine ends
		if err := l.Close(); err != nil || l.Dropped() != 3 {
			t.Errorf("second close: %v, %d dropped, want 3", err, l.Dropped())
		}
	})
}

// The event is received from the queue at once: otherwise the disk would decide how
// many are merely dropped.
func BenchmarkWrite(b *testing.B) {
	for _, bb := range []struct {
		name  string
		event Event
	}{{"plain", golden[4].event}, {"images", golden[3].event}} {
		b.Run(bb.name, func(b *testing.B) {
			l := &Log{now: time.Now, queue: make(chan Event, defaultQueue)}
			b.ReportAllocs()
			for b.Loop() {
				l.Write(bb.event)
				<-l.queue
			}
		})
	}
}
