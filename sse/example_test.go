package sse_test

import (
	"fmt"

	"imagebreaker/sse"
)

// The pieces are whatever the network delivers. The last event has no blank line,
// as after a connection that was aborted.
func Example() {
	pieces := []string{
		"event: message_start\ndata: {\"type\":",
		"\"message_start\"}\n",
		"\nevent: error\r\ndata: {\"type\":\"error\"}\r\n",
	}
	var s sse.Scanner
	show := func(e sse.Event) { fmt.Printf("%s: %s\n", e.Name, e.Data) }
	for _, p := range pieces {
		s.Feed([]byte(p), show)
	}
	s.End(show)
	// Output:
	// message_start: {"type":"message_start"}
	// error: {"type":"error"}
}

func ExampleAppend() {
	b := sse.Append(nil, "note", []byte("two\nlines"))
	fmt.Printf("%s", b)
	// Output:
	// event: note
	// data: two
	// data: lines
}
