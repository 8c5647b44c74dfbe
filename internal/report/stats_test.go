package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

// What was not sent and what would not have been are never one number.
func TestStatsKeepDryRunApart(t *testing.T) {
	t.Parallel()
	was := eventlog.Event{Event: "short_circuited", Mode: "on", RequestBytes: 100, ImagesTotal: 2, Reason: "r"}
	would := eventlog.Event{Event: "would_short_circuit", Mode: "dry-run", RequestBytes: 7, ImagesTotal: 1, Reason: "r"}
	s := statsOf([]eventlog.Event{was, would, would, was, was})
	if want := (Saved{Requests: 3, Bytes: 300, Parts: 6, Tokens: 9600}); s.Held != want {
		t.Errorf("held %+v, want %+v", s.Held, want)
	}
	if want := (Saved{Requests: 2, Bytes: 14, Parts: 2, Tokens: 3200}); s.WouldHold != want {
		t.Errorf("would hold %+v, want %+v", s.WouldHold, want)
	}
	top, _, _ := s.ByReason.top()
	if want := (Group{Name: "r", Held: 3, HeldBytes: 300, Tokens: 9600, WouldHold: 2, WouldHoldBytes: 14, WouldHoldTokens: 3200}); len(top) != 1 || *top[0] != want {
		t.Errorf("%+v, want %+v", top, want)
	}
}

func TestStatsCountErrors(t *testing.T) {
	t.Parallel()
	s := NewStats()
	for _, kind := range []record.ErrorKind{"http_4xx", "http_5xx", "http_5xx", "stream_error", "network", "new", ""} {
		s.Add(&eventlog.Event{Event: "upstream_error", ErrorKind: kind})
	}
	want := map[record.ErrorKind]int64{"http_4xx": 1, "http_5xx": 2, "stream_error": 1, "network": 1, "other": 2}
	if !maps.Equal(s.Errors, want) {
		t.Errorf("%+v, want %+v", s.Errors, want)
	}
	if page := pageOf(t, s); !strings.Contains(page, "  2  other errors of the API: http_5xx\n") {
		t.Error(page)
	}
}

// No number in a log makes a sum less, or turns it over.
func TestStatsOfHugeNumbers(t *testing.T) {
	t.Parallel()
	s := NewStats()
	for range 5000 {
		s.Add(&eventlog.Event{Event: "short_circuited", RequestBytes: math.MaxInt64, ImagesTotal: math.MaxInt})
		s.Add(&eventlog.Event{Event: "short_circuited", RequestBytes: -5, ImagesTotal: -5})
		s.Add(&eventlog.Event{Event: "stopped", Dropped: math.MaxInt})
	}
	for _, n := range []int64{s.Held.Bytes, s.Held.Tokens, s.Held.Parts, s.Lost} {
		if n != math.MaxInt64 {
			t.Errorf("%d", n)
		}
	}
}

// However many sessions there are, few are kept, and all are counted.
func TestGroupsAreBounded(t *testing.T) {
	t.Parallel()
	const many = maxNames + 500
	var g Groups
	long := strings.Repeat("x", 10_000)
	for i := range many {
		g.add(fmt.Sprintf("%06d%s", i, long), Group{Held: 1, HeldBytes: 2})
		if i == 3 {
			for range 5 {
				g.add(fmt.Sprintf("%06d%s", i, long), Group{Repaired: 1})
			}
		}
	}
	if len(g.byName) != maxNames {
		t.Errorf("%d names are kept", len(g.byName))
	}
	top, others, names := g.top()
	if len(top) != topGroups || !strings.HasPrefix(top[0].Name, "000003x") || len(top[0].Name) > maxName || !strings.HasPrefix(top[1].Name, "000000x") {
		t.Errorf("the first of %d is %+v", len(top), top[0])
	}
	if want := (Group{Held: many - topGroups, HeldBytes: 2 * (many - topGroups)}); others != want || names != maxNames-topGroups+1 {
		t.Errorf("others %+v, %d names; want %+v", others, names, want)
	}
}

func TestGroupsAsJSON(t *testing.T) {
	t.Parallel()
	s := NewStats()
	for i := range topGroups + 2 {
		s.Add(&eventlog.Event{Event: "repaired", SessionID: fmt.Sprint(i), Reason: "r"})
	}
	out, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	const want = `"others":{"names":2,"failures_recorded":0,"held":0,"held_bytes":0,"repaired":2,"estimated_media_tokens":0,"would_hold":0,"would_hold_bytes":0,"would_hold_estimated_media_tokens":0}`
	if strings.Count(string(out), want) != 1 {
		t.Errorf("no %s in %s", want, out)
	}
	out, err = json.Marshal(NewStats())
	if err != nil || !strings.Contains(string(out), `"from":null,"to":null,"events":0,`) || !strings.Contains(string(out), `"by_session":{"top":[]}`) {
		t.Errorf("%s, %v", out, err)
	}
}

func TestPageOfNothing(t *testing.T) {
	t.Parallel()
	got := pageOf(t, NewStats())
	if !strings.HasPrefix(got, "No events\n") || strings.Contains(got, "By reason") || strings.Contains(got, "dry-run") {
		t.Error(got)
	}
}

func TestPageNamesOthers(t *testing.T) {
	t.Parallel()
	s := NewStats()
	for i := range topGroups + 2 {
		s.Add(&eventlog.Event{Event: "repaired", SessionID: fmt.Sprint(i)})
	}
	if got := pageOf(t, s); !strings.Contains(got, "  2 or more others\n") || !strings.Contains(got, "  (none)\n") {
		t.Error(got)
	}
}
