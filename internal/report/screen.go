package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/mattn/go-runewidth"
)

// terminal measures text, the same in every locale.
var terminal = &runewidth.Condition{StrictEmojiNeutral: true}

// fit is s, escaped, cut to at most so many columns.
func fit(s string, most int) string { return terminal.Truncate(escaped(s), most, "…") }

// escaped is s as a terminal may show it: what moves the cursor, gives commands,
// turns the direction of writing or piles up on the character before it is
// spelled out.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) && !unicode.IsMark(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// SafeJSON is JSON of the same meaning that a terminal may show.
func SafeJSON(text []byte) []byte {
	var out []byte
	for _, r := range string(text) { // bytes that are no text come as one that says so
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// Bytes is a number of bytes for people, such as 7.1 MiB.
func Bytes(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

// Colours of a terminal.
const (
	red     = "31"
	green   = "32"
	yellow  = "33"
	magenta = "35"
	cyan    = "36"
	grey    = "90"
	bold    = "1"
)
