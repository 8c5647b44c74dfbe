package sse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAppend(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, event, data, want string }{
		{"unnamed", "", "x", "data: x\n\n"},
		{"named", "ping", "{}", "event: ping\ndata: {}\n\n"},
		{"no data", "ping", "", "event: ping\ndata: \n\n"},
		{"lines", "", "a\nb\rc\r\nd", "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{"blank lines", "", "\n\r\n", "data: \ndata: \ndata: \n\n"},
		{"leading space", "", " x", "data:  x\n\n"},
		{"name with a line break", "a\ndata: forged\n\n", "x", "event: a\ndata: x\n\n"},
		{"name with a carriage return", "a\rid: 1", "x", "event: a\ndata: x\n\n"},
		{"name of a line break", "\n", "x", "data: x\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := string(Append([]byte("before|"), tt.event, []byte(tt.data)))
			if diff := cmp.Diff("before|"+tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := string(Append(nil, "", nil)); got != "data: \n\n" {
		t.Errorf("nil data: %q", got)
	}
}

func TestAppendRoundTrip(t *testing.T) {
	t.Parallel()
	var stream []byte
	want := []emitted{{"message_start", `{"a":1}`, false}, {"", "two\nlines", false}, {"stop", "", false}, {" odd", " \uFEFF", false}}
	for _, e := range want {
		stream = Append(stream, e.Name, []byte(e.Data))
	}
	if diff := cmp.Diff(want, scan(new(Scanner), strings.SplitAfter(string(stream), "a")...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
