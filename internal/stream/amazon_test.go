package stream

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"imagebreaker/sse"
)

// amazonMessage encodes a message; headers are pairs of name and value.
func amazonMessage(payload string, headers ...string) []byte {
	m := eventstream.Message{Payload: []byte(payload)}
	for i := 0; i+1 < len(headers); i += 2 {
		m.Headers.Set(headers[i], eventstream.StringValue(headers[i+1]))
	}
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// prelude returns a prelude with a correct checksum.
func prelude(size, headers uint32) []byte {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, size), headers)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// corrupted returns a message with one byte changed; a negative offset counts from
// the end.
func corrupted(m []byte, at int) []byte {
	m = slices.Clone(m)
	m[(at+len(m))%len(m)] ^= 1
	return m
}

var (
	amazonStop      = AppendAmazon(nil, "messageStop", []byte(`{"stopReason":"end_turn"}`))
	amazonException = amazonMessage(`{"message":"Could not process image"}`, ":exception-type", "validationException", ":content-type", "application/json", ":message-type", "exception")
	amazonFault     = amazonMessage("", ":message-type", "error", ":error-code", "InternalFailure", ":error-message", "It \"broke\"\n.")
)

// frames are streams and the names and data of the events in them.
var frames = []struct {
	name string
	in   []byte
	want []string
}{
	{"event", amazonStop, []string{`messageStop {"stopReason":"end_turn"}`}},
	{"two", slices.Concat(AppendAmazon(nil, "chunk", []byte(`{"bytes":"e30="}`)), amazonStop), []string{`chunk {"bytes":"e30="}`, `messageStop {"stopReason":"end_turn"}`}},
	{"exception", slices.Concat(amazonStop, amazonException), []string{`messageStop {"stopReason":"end_turn"}`, `validationException {"message":"Could not process image"}`}},
	{"error", amazonFault, []string{`InternalFailure {"error":{"code":"InternalFailure","message":"It \"broke\"\n."}}`}},
	{"no payload", AppendAmazon(nil, "ping", nil), []string{"ping "}},
	{"no headers", amazonMessage("x"), []string{" x"}},
	{"header that is not a string", intHeader(), []string{" x"}},
	{"nothing", nil, nil},
	{"incomplete", slices.Concat(amazonStop, amazonStop[:len(amazonStop)-1]), []string{`messageStop {"stopReason":"end_turn"}`}},
	{"wrong checksum", slices.Concat(corrupted(amazonException, -1), amazonStop), []string{`messageStop {"stopReason":"end_turn"}`}},
	{"changed payload", slices.Concat(corrupted(amazonException, -10), amazonStop), []string{`messageStop {"stopReason":"end_turn"}`}},
	{"changed length", slices.Concat(amazonStop, corrupted(amazonStop, 3), amazonStop), []string{`messageStop {"stopReason":"end_turn"}`}},
	{"wrong prelude", slices.Concat(corrupted(amazonStop, 8), amazonStop), nil},
	{"too short", slices.Concat(prelude(preludeSize, 0), amazonStop), nil},
	{"something else", []byte("event: message_stop\ndata: {}\n\n"), nil},
	{"invalid header type", slices.Concat(invalidHeader(), amazonStop), []string{`messageStop {"stopReason":"end_turn"}`}},
}

func intHeader() []byte {
	var b bytes.Buffer
	_ = eventstream.NewEncoder().Encode(&b, eventstream.Message{Headers: eventstream.Headers{{Name: ":event-type", Value: eventstream.Int32Value(7)}}, Payload: []byte("x")})
	return b.Bytes()
}

// invalidHeader returns a message with correct checksums whose header has a type
// that does not exist.
func invalidHeader() []byte {
	b := append(prelude(minMessageSize+3, 3), 1, 'x', 99)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func TestAmazon(t *testing.T) {
	t.Parallel()
	for _, c := range frames {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= len(c.in)+1; size++ {
				if got := scanNamed(NewScanner(Amazon), c.in, size); !slices.Equal(got, c.want) {
					t.Errorf("in pieces of %d: %q, want %q", size, got, c.want)
				}
			}
		})
	}
}

// scanNamed returns the names and data of a stream's events, fed in pieces.
func scanNamed(s Scanner, in []byte, size int) []string {
	var out []string
	emit := func(e sse.Event) { out = append(out, e.Name+" "+string(e.Data)) }
	for p := range slices.Chunk(in, size) {
		s.Feed(p, emit)
	}
	s.End(emit)
	return out
}

func TestLargeMessageIsSkipped(t *testing.T) {
	t.Parallel()
	fits := strings.Repeat("x", maxEvent-len(amazonMessage("")))
	s := newAmazonScanner()
	in := slices.Concat(amazonMessage(fits), amazonMessage(fits+"x"), amazonStop)
	if got := scanNamed(s, in, 1000); len(got) != 2 || got[0] != " "+fits || got[1] != `messageStop {"stopReason":"end_turn"}` {
		t.Errorf("%d events", len(got))
	}
	s.Feed(in[:len(in)-len(amazonStop)], func(sse.Event) {})
	if cap(s.buf) > 2*maxEvent {
		t.Errorf("%d bytes buffered", cap(s.buf))
	}
}

func TestAmazonLosesSynchronization(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		in    []byte
		after bool
	}{
		{"minimum", prelude(minMessageSize, 0), false},
		{"below the minimum", prelude(minMessageSize-1, 0), true},
		{"maximum", prelude(maxMessageSize, 0), false},
		{"above the maximum", prelude(maxMessageSize+1, 0), true},
		{"all headers", prelude(minMessageSize+5, 5), false},
		{"more headers than that", prelude(minMessageSize+5, 6), true},
		{"wrong checksum", corrupted(prelude(minMessageSize, 0), -1), true},
	} {
		s := newAmazonScanner()
		s.Feed(c.in, func(sse.Event) {})
		if s.lost != c.after {
			t.Errorf("%s: lost %v", c.name, s.lost)
		}
	}
}

func TestAmazonIsReusable(t *testing.T) {
	t.Parallel()
	for _, before := range [][]byte{amazonStop[:5], amazonStop[:20], prelude(15, 0), prelude(maxEvent+1, 0)} {
		s := NewScanner(Amazon)
		scanNamed(s, before, 7)
		if got := scanNamed(s, amazonStop, 7); len(got) != 1 {
			t.Errorf("after %q: %q", before, got)
		}
	}
}

func TestAppendAmazon(t *testing.T) {
	t.Parallel()
	b := bytes.NewReader(AppendAmazon(AppendAmazon(nil, "one", []byte("1")), "two", []byte("2")))
	for _, want := range []string{"one 1", "two 2"} {
		m, err := eventstream.NewDecoder().Decode(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := func(name string) string { return m.Headers.Get(name).String() }
		if got := h(":event-type") + " " + string(m.Payload); got != want || h(":message-type") != "event" || h(":content-type") != "application/json" {
			t.Errorf("%q, headers %v", got, m.Headers)
		}
	}
	if got := AppendAmazon([]byte("x"), strings.Repeat("n", 1<<16), nil); string(got) != "x" {
		t.Errorf("a name that is too long: %d bytes", len(got))
	}
}

// FuzzAmazon checks that the events do not depend on how the stream is split, and
// that no more is buffered than one message may have.
func FuzzAmazon(f *testing.F) {
	for _, c := range frames {
		f.Add(c.in, 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		if size < 1 {
			return
		}
		s := newAmazonScanner()
		whole, split := scanNamed(NewScanner(Amazon), in, max(1, len(in))), scanNamed(s, in, size)
		if !slices.Equal(whole, split) {
			t.Errorf("%q whole, %q in pieces of %d", whole, split, size)
		}
		if cap(s.buf) > 2*maxEvent {
			t.Errorf("%d bytes buffered", cap(s.buf))
		}
	})
}

// FuzzAmazonRoundTrip checks that any message that was encoded by Amazon's own
// library is decoded.
func FuzzAmazonRoundTrip(f *testing.F) {
	f.Add("chunk", "{}", "event")
	f.Add("throttlingException", "", "exception")
	f.Fuzz(func(t *testing.T, name, payload, kind string) {
		if len(name)+len(payload)+len(kind) > 1<<15 {
			return
		}
		in := amazonMessage(payload, ":event-type", name, ":exception-type", name, ":message-type", kind)
		want := []string{name + " " + payload}
		if kind == "error" {
			want = []string{` {"error":{"code":"","message":""}}`}
		}
		if got := scanNamed(NewScanner(Amazon), slices.Concat(in, in), 5); !slices.Equal(got, append(want, want...)) {
			t.Errorf("%q, want %q twice", got, want)
		}
	})
}
