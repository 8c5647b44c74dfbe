package proxy_test

import (
	"os"
	"slices"
	"testing"

	"imagebreaker/eventlog"
)

func readEvents(t *testing.T, path string) []eventlog.Event {
	t.Helper()
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	must(t, err)
	defer f.Close()
	var out []eventlog.Event
	for e, err := range eventlog.Read(f) {
		must(t, err)
		out = append(out, e)
	}
	return out
}

func names(es []eventlog.Event) []string {
	var out []string
	for _, e := range es {
		out = append(out, string(e.Event))
	}
	return out
}

// wantEvents ends the rig and wants just these events.
func (r *rig) wantEvents(want ...string) []eventlog.Event {
	r.Helper()
	es := r.events()
	if got := names(es); !slices.Equal(got, want) {
		r.Fatalf("events %v, want %v", got, want)
	}
	return es
}

func sums(ps ...picture) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.sum().Log())
	}
	slices.Sort(out)
	return out
}

func wantImages(t *testing.T, e eventlog.Event, ps ...picture) {
	t.Helper()
	got := slices.Sorted(slices.Values(e.Images))
	if !slices.Equal(got, sums(ps...)) {
		t.Errorf("%s blames %v, want %v", e.Event, got, sums(ps...))
	}
}
