package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// fit is s as a terminal may show it, cut to at most so many columns, and how
// many it takes. The number must be above zero.
func fit(s string, most int) (string, int) {
	var b strings.Builder
	width := 0
	cut, cutWidth := 0, 0 // where there is still room for the ellipsis
	for _, r := range s {
		piece, w := shown(r)
		if width += w; width > most {
			return b.String()[:cut] + "…", cutWidth + 1
		}
		b.WriteString(piece)
		if width < most {
			cut, cutWidth = b.Len(), width
		}
	}
	return b.String(), width
}

// shown is the rune as a terminal may show it, and the columns that it takes.
// What moves the cursor, gives commands, turns the writing round or piles up on
// the character before it is spelled out.
func shown(r rune) (string, int) {
	if !unicode.IsPrint(r) || unicode.IsMark(r) {
		spelled := strings.Trim(strconv.QuoteRuneToASCII(r), "'")
		return spelled, len(spelled)
	}
	if unicode.Is(wide, r) {
		return string(r), 2
	}
	return string(r), 1
}

// SafeJSON is JSON of the same meaning that a terminal may show.
func SafeJSON(text []byte) []byte {
	var out []byte
	for _, r := range string(text) { // bytes that are no text come as one that says so
		switch {
		case unicode.IsPrint(r) || r == '\n' || r == '\t':
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// wide are the characters that take two columns: East Asian ones and pictures.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x231a, 0x231b, 1}, {0x2329, 0x232a, 1}, {0x23e9, 0x23ec, 1}, {0x25fd, 0x25fe, 1},
		{0x2614, 0x2615, 1}, {0x2648, 0x2653, 1}, {0x26a1, 0x26aa, 9}, {0x26bd, 0x26be, 1}, {0x2705, 0x2705, 1},
		{0x2728, 0x2728, 1}, {0x274c, 0x274e, 2}, {0x2753, 0x2757, 1}, {0x2795, 0x2797, 1}, {0x2b1b, 0x2b1c, 1},
		{0x2b50, 0x2b55, 5}, {0x2e80, 0x303e, 1}, {0x3041, 0x4dbf, 1}, {0x4e00, 0xa4cf, 1}, {0xa960, 0xa97f, 1},
		{0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe10, 0xfe1f, 1}, {0xfe30, 0xfe6f, 1}, {0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18aff, 1}, {0x1b000, 0x1b2ff, 1}, {0x1f004, 0x1f004, 1}, {0x1f0cf, 0x1f0cf, 1}, {0x1f18e, 0x1f19a, 1},
		{0x1f200, 0x1f320, 1}, {0x1f32d, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f7e0, 0x1f7eb, 1}, {0x1f900, 0x1faff, 1}, {0x20000, 0x3fffd, 1},
	},
}

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

// painted is a text, which must be safe, in a colour.
func painted(s, colour string) string { return "\x1b[" + colour + "m" + s + "\x1b[0m" }
