package sse

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// emitted is an Event that outlives its callback.
type emitted struct {
	Name, Data string
	Truncated  bool
}

// collector returns a callback that appends the events to list.
func collector(list *[]emitted) func(Event) {
	return func(e Event) { *list = append(*list, emitted{e.Name, string(e.Data), e.Truncated}) }
}

// scan feeds the pieces to s and ends the stream.
func scan(s *Scanner, pieces ...string) []emitted {
	var list []emitted
	for _, p := range pieces {
		s.Feed([]byte(p), collector(&list))
	}
	s.End(collector(&list))
	return list
}

func data(texts ...string) []emitted {
	var list []emitted
	for _, t := range texts {
		list = append(list, emitted{Data: t})
	}
	return list
}

var streams = []struct {
	name, in string
	want     []emitted
}{
	{"nothing", "", nil},
	{"blank lines", "\n\r\n\r\n\n", nil},
	{"one event", "data: x\n\n", data("x")},
	{"named", "event: ping\ndata: x\n\n", []emitted{{Name: "ping", Data: "x"}}},
	{"name after the data", "data: x\nevent: ping\n\n", []emitted{{Name: "ping", Data: "x"}}},
	{"the last name counts", "event: a\nevent: b\ndata: x\n\n", []emitted{{Name: "b", Data: "x"}}},
	{"an empty name takes the name back", "event: a\nevent\ndata: x\n\n", data("x")},
	{"a name holds for one event", "event: a\ndata: x\n\ndata: y\n\n", []emitted{{Name: "a", Data: "x"}, {Data: "y"}}},
	{"a name without data is forgotten", "event: a\n\ndata: y\n\n", data("y")},
	{"carriage returns", "event: a\rdata: x\r\rdata: y\r\r", []emitted{{Name: "a", Data: "x"}, {Data: "y"}}},
	{"both", "event: a\r\ndata: x\r\n\r\ndata: y\r\n\r\n", []emitted{{Name: "a", Data: "x"}, {Data: "y"}}},
	{"line breaks mixed", "data: x\r\ndata: y\rdata: z\n\r\ndata: w\n\n", data("x\ny\nz", "w")},
	{"line feed, carriage return is two", "data: x\n\rdata: y\n\n", data("x", "y")},
	{"many lines", "data: YHOO\ndata: +2\ndata: 10\n\n", data("YHOO\n+2\n10")},
	{"empty lines in data", "data: a\ndata:\ndata\ndata: b\n\n", data("a\n\n\nb")},
	{"no colon", "data\n\ndata\ndata\n\n", data("", "\n")},
	{"empty data", "data:\n\ndata: \n\n", data("", "")},
	{"one space goes", "data:x\n\ndata: x\n\ndata:  x\n\ndata:\tx\n\n", data("x", "x", " x", "\tx")},
	{"colons in the value", "data: a:b: c\n\ndata::\n\n", data("a:b: c", ":")},
	{"comments", ": hi\n:\n:data: no\ndata: x\n: between\ndata: y\n\n", data("x\ny")},
	{"other fields", "id: 1\nretry: 10\nid\nfoo: bar\nfoo\ndata: x\n\n", data("x")},
	{"almost data", "Data: a\ndat: b\ndatas: c\ndatabase: d\n data: e\ndata : f\nevents: g\ndata: x\n\n", data("x")},
	{"byte order mark", "\uFEFFdata: x\n\n", data("x")},
	{"byte order mark and a name", "\uFEFFevent: a\ndata: x\n\n", []emitted{{Name: "a", Data: "x"}}},
	{"only the first mark counts", "\uFEFF\uFEFFdata: x\n\ndata: y\n\n", data("y")},
	{"a mark later on is a field", "data: x\n\n\uFEFFdata: y\n\n", data("x")},
	{"part of a mark is a field", "\xEF\xBBdata: x\ndata: y\n\n", data("y")},
	{"a mark alone", "\uFEFF\ndata: x\n\n", data("x")},
	{"not UTF-8", "event: \xff\ndata: \xfe\x00\n\n", []emitted{{Name: "\xff", Data: "\xfe\x00"}}},
	{"long name", "event: " + strings.Repeat("n", 300) + "\ndata: x\n\n", []emitted{{Name: strings.Repeat("n", 256), Data: "x"}}},
	{"no blank line", "event: error\ndata: {}\n", []emitted{{Name: "error", Data: "{}"}}},
	{"no line end", "event: error\ndata: {}", []emitted{{Name: "error", Data: "{}"}}},
	{"a name at the end", "data: x\n\nevent: error", data("x")},
	{"a comment at the end", "data: x\n\n: bye", data("x")},
}

func TestScanner(t *testing.T) {
	t.Parallel()
	for _, tt := range streams {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, scan(new(Scanner), tt.in)); diff != "" {
				t.Errorf("one piece (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, scan(new(Scanner), strings.Split(tt.in, "")...)); diff != "" {
				t.Errorf("characters (-want +got):\n%s", diff)
			}
			for i := range len(tt.in) + 1 {
				if diff := cmp.Diff(tt.want, scan(new(Scanner), tt.in[:i], "", tt.in[i:])); diff != "" {
					t.Fatalf("split at %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

func TestScannerMax(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		max  int
		in   string
		want []emitted
	}{
		{"fits", 4, "data: abcd\n\n", data("abcd")},
		{"one too many", 4, "data: abcde\n\n", []emitted{{Data: "abcd", Truncated: true}}},
		{"the joint counts", 4, "data: abcd\ndata\n\n", []emitted{{Data: "abcd", Truncated: true}}},
		{"truncated in the second line", 4, "data: ab\ndata: cd\n\n", []emitted{{Data: "ab\nc", Truncated: true}}},
		{"many empty lines", 4, strings.Repeat("data\n", 9) + "\n", []emitted{{Data: "\n\n\n\n", Truncated: true}}},
		{"the next is whole", 4, "data: abcde\n\ndata: x\n\n", []emitted{{Data: "abcd", Truncated: true}, {Data: "x"}}},
		{"default", 0, "data: " + strings.Repeat("a", 1<<20+1) + "\n\n", []emitted{{Data: strings.Repeat("a", 1<<20), Truncated: true}}},
		{"negative is the default", -1, "data: abc\n\n", data("abc")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, scan(&Scanner{Max: tt.max}, tt.in)); diff != "" {
				t.Errorf("one piece (-want +got):\n%s", diff)
			}
			half := len(tt.in) / 2
			if diff := cmp.Diff(tt.want, scan(&Scanner{Max: tt.max}, tt.in[:half], tt.in[half:])); diff != "" {
				t.Errorf("two pieces (-want +got):\n%s", diff)
			}
		})
	}
}

// An event is emitted as soon as its blank line has begun, and not again by End.
func TestScannerEmitsAtOnce(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"data: x\n\n", "data: x\r\r", "data: x\r\n\r"} {
		var s Scanner
		var list []emitted
		s.Feed([]byte(in), collector(&list))
		if diff := cmp.Diff(data("x"), list); diff != "" {
			t.Errorf("%q before the end (-want +got):\n%s", in, diff)
		}
		s.End(collector(&list))
		s.End(collector(&list))
		if len(list) != 1 {
			t.Errorf("%q after the end: %d events, want 1", in, len(list))
		}
	}
}

// No state of an aborted stream is left when the next one begins.
func TestScannerIsReusable(t *testing.T) {
	t.Parallel()
	var s Scanner
	for _, first := range []string{"\uFEFFevent: left\nda", "data: x\r", "\xEF", ": comment", "data: \uFEFF", "event: left"} {
		scan(&s, first)
		if diff := cmp.Diff(data("y"), scan(&s, "\uFEFFdata: y\n\n")); diff != "" {
			t.Errorf("second stream after %q (-want +got):\n%s", first, diff)
		}
	}
}

// memory is the number of bytes that s holds on to between two calls of Feed.
func memory(s *Scanner) int {
	n := cap(s.buf) + cap(s.name)
	for name := range s.names {
		n += len(name)
	}
	return n
}

const constantMemory = 1024 + maxNames*maxName

func TestScannerMemory(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	line := strings.Repeat("a", 1000)
	for _, start := range []string{"", ":", "data:", "event:", "id:", "d", "dat", "\xEF\xBB", "data\ndata:", "event:x\n:"} {
		s := &Scanner{Max: limit}
		s.Feed([]byte(start), func(Event) {})
		for range 1000 {
			s.Feed([]byte(line), func(Event) {})
		}
		if n := memory(s); n > limit+constantMemory {
			t.Errorf("a megabyte after %q: %d bytes kept", start, n)
		}
	}
	s := &Scanner{Max: limit}
	for i := range 10_000 {
		s.Feed(fmt.Appendf(nil, "event: %s%d\ndata: x\n\n", line[:250], i), func(Event) {})
	}
	if n := memory(s); n > limit+constantMemory {
		t.Errorf("10000 names: %d bytes kept", n)
	}
}

func TestScannerAllocates(t *testing.T) { // not parallel: it counts for the whole process
	var s Scanner
	stream := []byte(strings.Repeat(anthropicEvents, 20))
	n := 0
	count := func(Event) { n++ }
	s.Feed(stream, count)
	n = 0
	if got := testing.AllocsPerRun(10, func() { s.Feed(stream, count) }); got != 0 {
		t.Errorf("%v allocations for 60 events, want 0", got)
	}
	if n != 11*60 {
		t.Errorf("%d events, want %d", n, 11*60)
	}
}

// A stream with only one kind of line break must not be searched to its end for the
// other kind at each line: that is quadratic, and does not end before the timeout.
func TestScannerIsLinear(t *testing.T) {
	t.Parallel()
	const events = 2 << 20
	for _, lineBreak := range []string{"\n", "\r"} {
		stream := []byte(strings.Repeat("data"+lineBreak+lineBreak, events))
		n := 0
		new(Scanner).Feed(stream, func(Event) { n++ })
		if n != events {
			t.Errorf("%q: %d events, want %d", lineBreak, n, events)
		}
	}
}

const anthropicEvents = "event: content_block_delta\n" +
	`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" of the picture shows a small"}}` + "\n\n" +
	"event: ping\n" + `data: {"type":"ping"}` + "\n\n" +
	"event: content_block_delta\n" +
	`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" house with a red roof."}}` + "\n\n"

func BenchmarkScanner(b *testing.B) {
	large := "data: " + strings.Repeat("0123456789abcdef", 16<<10) + "\n\n"
	for _, bb := range []struct{ name, stream string }{
		{"deltas", strings.Repeat(anthropicEvents, 100)},
		{"crlf", strings.ReplaceAll(strings.Repeat(anthropicEvents, 100), "\n", "\r\n")},
		{"large", large},
		{"blank", strings.Repeat("\n", 32<<10)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			stream := []byte(bb.stream)
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			var s Scanner
			bytesSeen := 0
			for b.Loop() {
				for piece := stream; len(piece) > 0; {
					n := min(len(piece), 4096)
					s.Feed(piece[:n], func(e Event) { bytesSeen += len(e.Data) })
					piece = piece[n:]
				}
			}
			runtime.KeepAlive(bytesSeen)
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	text := bytes.Repeat([]byte("word "), 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = Append(buf[:0], "content_block_delta", text)
	}
}
