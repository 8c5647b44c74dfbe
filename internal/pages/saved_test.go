package pages_test

import (
	"strings"
	"testing"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/pages"
	"imagebreaker/internal/record"
)

func TestSaved(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := pages.NewSaved(func() time.Time { return now })
	save := func(a record.Attempt, bytes int64) {
		a.Bytes = 1000
		s.Finished(record.Exchange{Bytes: bytes + 1000*int64(len(a.Placeholders)), Attempts: []record.Attempt{a}})
	}
	entry := &record.Entry{Reason: record.DecodeFailed}
	rejected, substituted, dryRun := record.Attempt{Rejected: entry}, record.Attempt{Sent: true, Placeholders: []record.Placeholder{{}}}, record.Attempt{Rejected: entry, Sent: true}
	want := func(json string) {
		t.Helper()
		if got := strings.TrimSpace(ask(s, "GET", "/-/saved").Body.String()); got != `{"since":"2026-01-02T03:04:05.000Z",`+json+`}` {
			t.Errorf("%s: %s, want %s", now, got, json)
		}
	}
	want(`"total":{"uploads":0,"bytes":0},"minutes":[]`)
	save(record.Attempt{Sent: true, Status: 200}, 0)
	s.Event(eventlog.Event{Event: "short_circuited"})
	want(`"total":{"uploads":0,"bytes":0},"minutes":[]`)
	save(rejected, 10)
	save(substituted, 5)
	want(`"total":{"uploads":2,"bytes":15},"minutes":[{"minutes_ago":0,"uploads":2,"bytes":15}]`)
	now = now.Add(24*time.Hour - time.Minute)
	save(dryRun, 1)
	want(`"total":{"uploads":3,"bytes":16},"minutes":[{"minutes_ago":1439,"uploads":2,"bytes":15},{"minutes_ago":0,"uploads":1,"bytes":1}]`)
	now = now.Add(time.Minute) // reuses the first minute's slot
	want(`"total":{"uploads":3,"bytes":16},"minutes":[{"minutes_ago":1,"uploads":1,"bytes":1}]`)
	save(rejected, 7)
	want(`"total":{"uploads":4,"bytes":23},"minutes":[{"minutes_ago":1,"uploads":1,"bytes":1},{"minutes_ago":0,"uploads":1,"bytes":7}]`)
	now = now.Add(72 * time.Hour)
	want(`"total":{"uploads":4,"bytes":23},"minutes":[]`)
}
