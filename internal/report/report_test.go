package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"imagebreaker/eventlog"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// zone is not the machine's, and not UTC.
var zone = time.FixedZone("", 2*60*60)

// eventsIn are the events of a log, less what is damaged.
func eventsIn(log []byte) []eventlog.Event {
	var out []eventlog.Event
	for e, err := range eventlog.Read(bytes.NewReader(log)) {
		if err == nil {
			out = append(out, e)
		}
	}
	return out
}

func tableOf(t *testing.T, events []eventlog.Event, width int, colour bool) string {
	t.Helper()
	var b strings.Builder
	table := Table{W: &b, Zone: zone, Width: width, Colour: colour}
	for i := range events {
		if err := table.Print(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func statsOf(events []eventlog.Event) *Stats {
	s := NewStats()
	for i := range events {
		s.Add(&events[i])
	}
	return s
}

func pageOf(t *testing.T, s *Stats) string {
	t.Helper()
	var b strings.Builder
	if err := s.Write(&b, zone); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden compares what is shown of each log in testdata with what was shown
// when somebody looked at it last: go test ./internal/report -update.
func TestGolden(t *testing.T) {
	t.Parallel()
	logs, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(logs) < 4 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, name := range logs {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			log, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			events := eventsIn(log)
			stats := statsOf(events)
			object, err := json.MarshalIndent(stats, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			got := txtar.Format(&txtar.Archive{Files: []txtar.File{
				{Name: "in 80 columns", Data: []byte(tableOf(t, events, 80, false))},
				{Name: "without a terminal", Data: []byte(tableOf(t, events, 0, false))},
				{Name: "stats", Data: []byte(pageOf(t, stats))},
				{Name: "stats as JSON", Data: append(SafeJSON(object), '\n')},
			}})
			golden := strings.TrimSuffix(name, ".jsonl") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
