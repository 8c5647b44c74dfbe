package report

import (
	"os"
	"strings"
	"testing"
	"time"
)

// What the README shows is what the program prints of testdata/plain.jsonl: the
// whole table, and two paragraphs of the stats.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile("testdata/plain.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	events := eventsIn(log)
	var table, page strings.Builder
	printer := Table{W: &table, Zone: time.UTC, Width: 80}
	for i := range events {
		if err := printer.Print(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := statsOf(events).Write(&page, time.UTC); err != nil {
		t.Fatal(err)
	}
	paragraphs := strings.Split(page.String(), "\n\n")
	for _, text := range []string{table.String(), paragraphs[1], paragraphs[3]} {
		if shown := indented(text); !strings.Contains(string(readme), shown) {
			t.Errorf("the README does not have\n%s", shown)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), NewStats().Rule) {
		t.Errorf("the README does not say %q", NewStats().Rule)
	}
}

func indented(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") + "\n"
}
