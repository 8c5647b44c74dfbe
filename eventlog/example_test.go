package eventlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"imagebreaker/eventlog"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "events.jsonl")

	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	log, err := eventlog.Open(eventlog.Config{Path: path, Now: func() time.Time { return noon }})
	if err != nil {
		fmt.Println(err)
		return
	}
	log.Write(eventlog.Event{Event: "short_circuited", Protocol: "anthropic", ClientStatus: 400, HeldCount: 1})
	log.Close()

	text, err := os.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer text.Close()
	for e, err := range eventlog.Read(text) {
		fmt.Println(e.Time, e.Event, e.HeldCount, err)
	}
	// Output: 2026-01-02 12:00:00 +0000 UTC short_circuited 1 <nil>
}
