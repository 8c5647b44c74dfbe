package failure

import (
	"strings"
	"unicode/utf8"
)

const (
	maxBody    = 256 << 10 // of an answer that is looked at
	maxMessage = 6 << 10   // of one message that is matched against the tables
	longRun    = 256       // from here on a run of base64 is payload, not words
	keptOfRun  = 8
)

// elideRuns replaces the rest of every long base64 run with "…": a payload that
// an upstream echoes would push the cause, which follows it, out of reach.
func elideRuns(s string) string {
	if len(s) < longRun {
		return s
	}
	var b strings.Builder
	done := 0 // copied so far
	for i := 0; i < len(s); {
		n := runLength(s[i:])
		if n >= longRun {
			b.WriteString(s[done : i+keptOfRun])
			b.WriteString("…")
			done = i + n
		}
		i += n + 1
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// runLength is the length of the base64 run at the start of s, with slashes that
// JSON escaped.
func runLength(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '/', c == '-', c == '_', c == '=':
		case c == '\\' && i+1 < len(s) && s[i+1] == '/':
		default:
			return i
		}
	}
	return len(s)
}

// shorten keeps the beginning and the end of s, where upstreams say what is
// wrong, and at most limit bytes of it.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit*3/4, len(s)-limit/4
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "…" + s[tail:]
}
