package sse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var unifyLineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// reference is the standard's algorithm for a whole stream, written as plainly as
// possible, with the end of the stream handled as End does.
func reference(stream string, limit int) []emitted {
	var list []emitted
	var name string
	var lines []string
	stream = unifyLineBreaks.Replace(strings.TrimPrefix(stream, "\uFEFF"))
	for _, line := range append(strings.Split(stream, "\n"), "") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && lines != nil:
			text := strings.Join(lines, "\n")
			list = append(list, emitted{name, text[:min(len(text), limit)], len(text) > limit})
			name, lines = "", nil
		case line == "":
			name = ""
		case field == "data":
			lines = append(lines, value)
		case field == "event":
			name = value[:min(len(value), maxName)]
		}
	}
	return list
}

// FuzzScanner checks the scanner against the reference. The bytes of sizes are the
// sizes of the pieces, repeated as needed.
func FuzzScanner(f *testing.F) {
	for _, tt := range streams {
		f.Add([]byte(tt.in), []byte{1, 0, 7}, uint16(0))
		f.Add([]byte(tt.in), []byte{3}, uint16(5))
	}
	f.Add([]byte(anthropicEvents), []byte{40, 41, 1}, uint16(64))
	f.Fuzz(func(t *testing.T, stream, sizes []byte, max16 uint16) {
		s := &Scanner{Max: int(max16)}
		whole := scan(s, string(stream))
		limit := s.Max
		if limit == 0 {
			limit = defaultMax
		}
		if diff := cmp.Diff(reference(string(stream), limit), whole); diff != "" {
			t.Fatalf("not as the standard says (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(whole, scan(s, pieces(stream, sizes)...)); diff != "" {
			t.Fatalf("split by %v (-whole +split):\n%s", sizes, diff)
		}
		if n := memory(s); n > limit+constantMemory {
			t.Fatalf("%d bytes kept with Max %d", n, limit)
		}
		if diff := cmp.Diff(whole, scan(s, string(appendAll(whole)))); diff != "" && !anyTruncated(whole) {
			t.Fatalf("appended and read again (-want +got):\n%s", diff)
		}
	})
}

// FuzzAppend checks that nothing in an event's name or data can become part of
// another event.
func FuzzAppend(f *testing.F) {
	f.Add("ping", "a\r\nb\n\n")
	f.Add("a\ndata: x\n\n", "\uFEFF")
	f.Fuzz(func(t *testing.T, name, text string) {
		stream := Append(nil, name, []byte(text))
		wantName, _, _ := cutLine([]byte(name))
		want := emitted{Name: string(wantName[:min(len(wantName), maxName)]), Data: unifyLineBreaks.Replace(text)}
		if diff := cmp.Diff([]emitted{want}, scan(&Scanner{Max: len(text) + 1}, string(stream))); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func pieces(stream, sizes []byte) []string {
	var list []string
	for i := 0; len(stream) > 0; i++ {
		n := 1
		if len(sizes) > 0 && i < 4*len(sizes) {
			n = min(int(sizes[i%len(sizes)]), len(stream))
		}
		list = append(list, string(stream[:n]))
		stream = stream[n:]
	}
	return list
}

func appendAll(list []emitted) []byte {
	var stream []byte
	for _, e := range list {
		stream = Append(stream, e.Name, []byte(e.Data))
	}
	return stream
}

func anyTruncated(list []emitted) bool {
	for _, e := range list {
		if e.Truncated {
			return true
		}
	}
	return false
}
