package failure

import (
	"regexp"
	"strings"
)

// embedded is an envelope found in a text.
type embedded struct {
	start, end int
	layer      string
	value      literal
	inner      string // text to look into instead of value
}

// findEnvelope finds the first literal in s that is an error envelope. Literals
// that are something else are skipped as a whole, so that nothing inside them is
// taken for an error.
func findEnvelope(s string) (embedded, bool) {
	for i, tries := 0, 0; i < len(s) && tries < maxAttempts; tries++ {
		next := strings.IndexAny(s[i:], `{["'`)
		if next < 0 {
			break
		}
		i += next
		e, skip, ok := envelopeAt(s, i)
		if ok {
			return e, true
		}
		i += max(skip, 1)
	}
	return embedded{}, false
}

// envelopeAt tries the literal at s[i]. Without one it returns how much to skip.
func envelopeAt(s string, i int) (e embedded, skip int, ok bool) {
	switch {
	case escapedObject.MatchString(s[i:min(len(s), i+64)]):
		return embedded{start: i, end: len(s), layer: "escaped json", inner: unescape(s[i:])}, 0, true
	case s[i] == '"' || s[i] == '\'':
		return quotedEnvelope(s, i)
	}
	v, n, python, ok := readLiteral(s[i:])
	if !ok {
		return e, 1, false
	}
	if !isEnvelope(v) {
		return e, n, false
	}
	e = embedded{start: i, end: i + n, layer: "json", value: v}
	if python {
		e.layer = "python repr"
	}
	if i > 0 {
		e.layer += " in prose"
	}
	return e, 0, true
}

// quotedEnvelope looks into a quoted string: a JSON string, or Python bytes.
// Quotes are apostrophes most of the time, so a miss skips the quote alone.
func quotedEnvelope(s string, i int) (e embedded, skip int, ok bool) {
	bytesRepr := i > 0 && s[i-1] == 'b' && (i == 1 || !isWord(s[i-2]))
	rest := strings.TrimLeft(s[i+1:], ` \n`)
	if (i != 0 && !bytesRepr) || rest == "" || rest[0] != '{' && rest[0] != '[' {
		if bytesRepr { // other bytes are the user's
			_, n, _, _ := readLiteral(s[i:])
			return e, n, false
		}
		return e, 1, false
	}
	v, n, _, ok := readLiteral(s[i:])
	if !ok {
		return e, 1, false
	}
	e = embedded{start: i, end: i + n, layer: "json string", inner: v.text}
	if bytesRepr {
		e.start, e.layer = i-1, "python bytes"
	}
	return e, 0, true
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// escapedObject is the start of JSON that somebody put into a string and did not
// take out again.
var escapedObject = regexp.MustCompile(`^\{(?:\s|\\n)*\\"`)

// unescape undoes one layer of backslashes. A bare quote ends the text.
func unescape(s string) string { return (&literalReader{s: `"` + s}).quoted() }
