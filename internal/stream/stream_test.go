package stream

import (
	"slices"
	"strings"
	"testing"

	"imagebreaker/sse"
)

func TestLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"one", "{\"a\":1}\n", []string{`{"a":1}`}},
		{"two", "{\"a\":1}\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}},
		{"carriage returns", "{\"a\":1}\r\n\r\n{\"b\":2}\r\n", []string{`{"a":1}`, `{"b":2}`}},
		{"no line feed at the end", "{\"a\":1}\n{\"error\":\"x\"}", []string{`{"a":1}`, `{"error":"x"}`}},
		{"empty lines", "\n\n \n{}\n\n", []string{"{}"}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= len(c.in)+1; size++ {
				if got := scanData(NewScanner(Lines), c.in, size); !slices.Equal(got, c.want) {
					t.Errorf("in pieces of %d: %q, want %q", size, got, c.want)
				}
			}
		})
	}
}

func TestLongLineIsTruncated(t *testing.T) {
	t.Parallel()
	s := NewScanner(Lines)
	var got []sse.Event
	s.Feed([]byte(strings.Repeat("x", maxEvent+5)+"\n{}\n"), func(e sse.Event) {
		got = append(got, sse.Event{Data: slices.Clone(e.Data), Truncated: e.Truncated})
	})
	if len(got) != 2 || len(got[0].Data) != maxEvent || !got[0].Truncated || string(got[1].Data) != "{}" || got[1].Truncated {
		t.Errorf("%d events", len(got))
	}
}

// scanData returns the data of a stream's events, fed in pieces.
func scanData(s Scanner, in string, size int) []string {
	var out []string
	emit := func(e sse.Event) { out = append(out, string(e.Data)) }
	for p := range slices.Chunk([]byte(in), size) {
		s.Feed(p, emit)
	}
	s.End(emit)
	return out
}

func TestNewScanner(t *testing.T) {
	t.Parallel()
	for kind, known := range map[string]bool{Events: true, Lines: true, Amazon: true, "application/jsonl": true, "application/json": false, "text/html": false, "": false} {
		if got := NewScanner(kind) != nil; got != known {
			t.Errorf("%q: %v", kind, got)
		}
	}
}

// FuzzLines checks that the events do not depend on how the stream is split.
func FuzzLines(f *testing.F) {
	f.Add("{\"a\":1}\n\n{\"b\":2}\r\n{", 3)
	f.Fuzz(func(t *testing.T, in string, size int) {
		if size < 1 || len(in) > maxEvent {
			return
		}
		whole, split := scanData(NewScanner(Lines), in, max(1, len(in))), scanData(NewScanner(Lines), in, size)
		if !slices.Equal(whole, split) {
			t.Errorf("%q whole, %q in pieces of %d", whole, split, size)
		}
	})
}
