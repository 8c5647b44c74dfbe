package cli

import (
	"encoding/json"
	"strings"

	"imagebreaker/sse"
)

// spoken returns the text of a response: that of the completion, or the error message.
func spoken(answer []byte) string {
	var text strings.Builder
	var s sse.Scanner
	read := func(e sse.Event) {
		var d struct {
			Delta struct{ Text string }
		}
		if json.Unmarshal(e.Data, &d) == nil {
			text.WriteString(d.Delta.Text)
		}
	}
	s.Feed(answer, read)
	s.End(read)
	if text.Len() > 0 {
		return text.String()
	}
	var e struct{ Error struct{ Message string } }
	if json.Unmarshal(answer, &e) == nil {
		return e.Error.Message
	}
	return ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	if r := []rune(line); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return line
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") + "\n"
}
