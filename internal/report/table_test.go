package report

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

func TestFilter(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	e := eventlog.Event{Time: eventlog.Time{Time: noon}, Event: "short_circuited", SessionID: "0192f3a4-7c1e", Reason: "decode_failed"}
	tests := []struct {
		name string
		Filter
		want bool
	}{
		{"all", Filter{}, true},
		{"since then", Filter{Since: noon}, true},
		{"since later", Filter{Since: noon.Add(time.Millisecond)}, false},
		{"in another zone", Filter{Since: noon.In(zone)}, true},
		{"session", Filter{Session: "0192f3a4-7c1e"}, true},
		{"its beginning", Filter{Session: "0192"}, true},
		{"its end", Filter{Session: "7c1e"}, false},
		{"longer", Filter{Session: "0192f3a4-7c1e-1"}, false},
		{"reason", Filter{Reason: "decode_failed"}, true},
		{"half a reason", Filter{Reason: "decode"}, false},
		{"event", Filter{Event: "short_circuited"}, true},
		{"another event", Filter{Event: "repaired"}, false},
		{"several", Filter{Since: noon, Session: "0", Reason: "decode_failed", Event: "short_circuited"}, true},
		{"several, one of them not", Filter{Since: noon, Session: "0", Reason: "decode_failed", Event: "repaired"}, false},
	}
	for _, tt := range tests {
		if got := tt.Wants(&e); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

func TestEventOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]record.Event{"held": "short_circuited", "short_circuited": "short_circuited", "API error": "upstream_error", "": "", "hold": ""} {
		if got := EventOf(name); got != want {
			t.Errorf("EventOf(%q) = %q, want %q", name, got, want)
		}
	}
	if words := Words(); len(words) != len(kinds) || !slices.Contains(words, "held") {
		t.Errorf("%q", words)
	}
	for _, k := range kinds {
		if terminal.StringWidth(k.word) > columnsFor(80)[1].width || !safe(k.word) {
			t.Errorf("%q does not fit", k.word)
		}
	}
}

// Whatever is in the log, no line is wider than the terminal, and none is more
// than text.
func TestTableFits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "hostile"} {
		log, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		events := eventsIn(log)
		for width := 40; width < 200; width++ {
			widest := 0
			for line := range strings.Lines(tableOf(t, events, width, false)) {
				if !safe(line) {
					t.Errorf("%q at %d", line, width)
				}
				widest = max(widest, terminal.StringWidth(strings.TrimSuffix(line, "\n")))
			}
			if widest > width {
				t.Errorf("%s: a line of %d in %d columns", name, widest, width)
			}
		}
	}
}

// More room shows more.
func TestTableColumns(t *testing.T) {
	t.Parallel()
	heads := func(width int) string {
		head, _, _ := strings.Cut(tableOf(t, []eventlog.Event{{Event: "started"}}, width, false), "\n")
		return strings.Join(strings.Fields(head), " ")
	}
	for width, want := range map[int]string{
		0: "TIME WHAT CLIENT MODEL IMAGE HTTP SIZE WHY", 200: "TIME WHAT CLIENT MODEL IMAGE HTTP SIZE WHY",
		100: "TIME WHAT CLIENT MODEL IMAGE HTTP WHY", 80: "TIME WHAT CLIENT MODEL IMAGE HTTP WHY",
		79: "TIME WHAT CLIENT IMAGE HTTP WHY", 60: "TIME WHAT CLIENT HTTP WHY", 50: "TIME WHAT HTTP WHY", 20: "TIME WHAT HTTP WHY",
	} {
		if got := heads(width); got != want {
			t.Errorf("%d columns: %s, want %s", width, got, want)
		}
	}
}

func TestTableDays(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	events := []eventlog.Event{
		{Time: eventlog.Time{Time: noon}, Event: "started"}, {Time: eventlog.Time{Time: noon.Add(9 * time.Hour)}, Event: "started"},
		{Time: eventlog.Time{Time: noon.Add(10 * time.Hour)}, Event: "stopped"}, // midnight where we are
	}
	const want = "TIME     WHAT       CLIENT             MODEL       IMAGE    HTTP WHY\n" +
		"2026-03-04\n14:00:00 started\n23:00:00 started\n2026-03-05\n00:00:00 stopped\n"
	if got := tableOf(t, events, 80, false); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestTableColour(t *testing.T) {
	t.Parallel()
	log, err := os.ReadFile("testdata/hostile.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	events := eventsIn(log)
	got := tableOf(t, events, 80, true)
	if !strings.Contains(got, "\x1b[33mheld\x1b[0m       anthropic") {
		t.Errorf("no colour: %q", got)
	}
	// Its own colours are all there is, and do not change the widths.
	if plain := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(got, ""); plain != tableOf(t, events, 80, false) {
		t.Errorf("%q", plain)
	}
}

func TestTableTellsWriteErrors(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	table := Table{W: failing{full}}
	if err := table.Print(&eventlog.Event{}); !errors.Is(err, full) {
		t.Error(err)
	}
	if err := NewStats().Write(failing{full}, nil); !errors.Is(err, full) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzReport checks that no log can break what is shown of it.
func FuzzReport(f *testing.F) {
	log, err := os.ReadFile("testdata/hostile.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(log) { // one each: what fails is minimized, which takes long for long inputs
		f.Add(line[:min(len(line), 400)], uint8(80))
	}
	f.Add([]byte(`{"time":"2026-03-04T12:00:00.000Z","event":"would_short_circuit","protocol":"p"}`), uint8(0))
	f.Fuzz(func(t *testing.T, log []byte, columns uint8) {
		events := eventsIn(log)
		width := max(40, int(columns))
		table := tableOf(t, events, width, false)
		for _, s := range []string{table, tableOf(t, events, 0, false), pageOf(t, statsOf(events))} {
			if !safe(s) {
				t.Errorf("%q", s)
			}
		}
		for line := range strings.Lines(table) {
			if n := terminal.StringWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
	})
}
