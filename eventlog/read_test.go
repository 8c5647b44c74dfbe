package eventlog

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

const ok = `{"time":"2026-03-04T12:00:00.005Z","event":"repaired"}`

// read returns a string for each value that Read yields: the event's name, or the
// error's text.
func read(r io.Reader) []string {
	var list []string
	for e, err := range Read(r) {
		if err != nil {
			list = append(list, err.Error())
			continue
		}
		list = append(list, string(e.Event))
	}
	return list
}

func TestRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxLine)
	atLimit := ok + strings.Repeat(" ", maxLine-len(ok)-1) + "\n"
	tests := []struct {
		name, in string
		want     []string // prefixes of what is yielded
	}{
		{"empty", "", nil},
		{"one", ok + "\n", []string{"repaired"}},
		{"no line break at the end", ok + "\n" + ok, []string{"repaired", "repaired"}},
		{"blank lines and CRLF", "\n" + ok + "\r\n \t\r\n" + ok + "\n\n", []string{"repaired", "repaired"}},
		{"damaged, then fine", "{\"time\":\n" + ok + "\n", []string{"line 1: unexpected end of JSON", "repaired"}},
		{"truncated", ok + "\n" + ok[:20], []string{"repaired", "line 2: unexpected end of JSON"}},
		{"two on a line", ok + ok + "\n" + ok + "\n", []string{"line 1: invalid character '{'", "repaired"}},
		{"not an object", "null\n1\n\"x\"\n[]\n", []string{"line 1: no event", "line 2: json", "line 3: json", "line 4: json"}},
		{"no event", `{"time":"2026-03-04T12:00:00.005Z"}`, []string{"line 1: no event"}},
		{"no time", `{"event":"x"}`, []string{"line 1: no time"}},
		{"time without milliseconds", `{"time":"2026-03-04T12:00:00Z","event":"x"}`, []string{"line 1: no time"}},
		{"time not in UTC", `{"time":"2026-03-04T12:00:00.000+01:00","event":"x"}`, []string{"line 1: no time"}},
		{"wrong type", `{"time":"2026-03-04T12:00:00.005Z","event":"x","status":"400"}`, []string{"line 1: json"}},
		{"unknown field", ok[:len(ok)-1] + `,"later":{"a":[1]}}`, []string{"repaired"}},
		{"duration too long", ok[:len(ok)-1] + `,"duration_ms":9223372036855}`, []string{"line 1: 9223372036855 ms is out of range"}},
		{"cool-off too long", ok[:len(ok)-1] + `,"cool_off_remaining_ms":-9223372036855}`, []string{"line 1: -9223372036855 ms is out of range"}},
		{"longest line", atLimit + ok, []string{"repaired", "repaired"}},
		{"too long by one", " " + atLimit + ok, []string{"line 1: longer than 1 MiB", "repaired"}},
		{"too long, twice", long + long + "\n" + long + "\n" + ok, []string{"line 1: longer than 1 MiB", "line 2: longer than 1 MiB", "repaired"}},
		{"too long at the end", ok + "\n" + long + "x", []string{"repaired", "line 2: longer than 1 MiB"}},
		{"zeroes after a crash", ok + "\n" + strings.Repeat("\x00", 4096) + "\n" + ok, []string{"repaired", "line 2: invalid character", "repaired"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := read(strings.NewReader(tt.in))
			if len(got) != len(tt.want) {
				t.Fatalf("got %.200q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], tt.want[i]) {
					t.Errorf("number %d is %.200q, want %q", i, got[i], tt.want[i])
				}
			}
			if diff := cmp.Diff(got, read(iotest.HalfReader(strings.NewReader(tt.in)))); diff != "" {
				t.Errorf("read in small pieces (-whole +pieces):\n%.500s", diff)
			}
		})
	}
}

func TestReadReturnsErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken disk")
	r := io.MultiReader(strings.NewReader(ok+"\n"+ok), iotest.ErrReader(broken))
	var events int
	var errs []error
	for _, err := range Read(r) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		events++
	}
	if events != 1 || len(errs) != 1 || !errors.Is(errs[0], broken) || errs[0].Error() != "read line 2: broken disk" {
		t.Errorf("%d events, errors %v", events, errs)
	}
}

func TestReadBreak(t *testing.T) {
	t.Parallel()
	for _, lines := range []string{ok + "\n" + ok, "damaged\n" + ok} {
		n := 0
		for range Read(strings.NewReader(lines)) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%d yields after a break", n)
		}
	}
}

// FuzzRead checks that what was read can be written and read again unchanged.
func FuzzRead(f *testing.F) {
	for _, tt := range golden {
		tt.event.Time = Time{noon}
		f.Add([]byte(encoded(tt.event)))
	}
	f.Add([]byte(ok + "\n\n{\n" + ok[:30] + "\r\n" + ok))
	f.Add([]byte(`{"time":"0000-01-01T00:00:00.000Z","event":"stopped","DROPPED":-1,"images":[null],"stream":null,"duration_ms":-5}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		var first []Event
		n := 0
		for e, err := range Read(strings.NewReader(string(lines))) {
			if n++; err == nil {
				first = append(first, e)
			} else if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("error without its line: %v", err)
			}
		}
		if limit := strings.Count(string(lines), "\n") + 1; n > limit {
			t.Fatalf("%d yields for %d lines", n, limit)
		}
		again := first
		for range 2 { // the first time may truncate texts and omit fields
			again = rewritten(t, again)
		}
		if diff := cmp.Diff(rewritten(t, first), again); diff != "" {
			t.Fatalf("(-once +twice):\n%s", diff)
		}
	})
}

func rewritten(t *testing.T, events []Event) []Event {
	t.Helper()
	var lines strings.Builder
	for _, e := range events {
		lines.WriteString(encoded(e))
	}
	var list []Event
	for e, err := range Read(strings.NewReader(lines.String())) {
		if err != nil {
			t.Fatalf("a line that was written is damaged: %v", err)
		}
		list = append(list, e)
	}
	if len(list) != len(events) {
		t.Fatalf("%d events out of %d", len(list), len(events))
	}
	return list
}
