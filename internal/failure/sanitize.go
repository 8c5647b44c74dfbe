package failure

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxShown  = 400 // runes of a message that a client gets to see
	maxPasses = 6
)

// Sanitize makes an upstream's message fit to be shown and logged: without
// addresses, payloads, echoed conversation, object addresses or anything that
// looks like a secret, on one line, and at most 400 runes long. What is left is
// the upstream's own wording, because clients match on it. Sanitizing twice
// changes nothing, and the result never holds "://" or "base64,".
func Sanitize(message string) string {
	for range maxPasses {
		clean := sanitizeOnce(message)
		if clean == message {
			return clean
		}
		message = clean
	}
	return "" // a message that builds new addresses out of what is taken from it
}

// masks hide parts of a message, in their order.
var masks = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?i)\bdata:[\w.+/-]*[;,][^\s'"<>]*`), "<data>"},
	// slashes as they are, escaped, or percent-encoded
	{regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*(?::|%3a)(?:\\?/|%2f){2}(?:[^\s'"]*[^\s'",.:;)\]}])?`), "<url>"},
	{regexp.MustCompile(`\[URL_REDACTED\]|\[REDACTED(?:_URL)?\]|<redacted(?:[ _-]url)?>|<path>`), "<url>"},
	// urllib3 leaves the host out
	{regexp.MustCompile(`(?i)(\burl: ?)/[^\s'"]*`), "$1<url>"},
	{regexp.MustCompile(`(<url>)(?:<url>|\?[^\s'"]*)+`), "$1"},
	{regexp.MustCompile(` at 0x[0-9a-fA-F]+`), ""},
	{regexp.MustCompile(`\b0x[0-9a-fA-F]{6,}`), "<address>"},
	{regexp.MustCompile(`(?i)\b(bearer|basic) [\w.~+/=-]{6,}`), "$1 <secret>"},
	{regexp.MustCompile(`\b(?:sk|pk|rk|ghp|gho|xox[a-z]|AKIA|ASIA|AIza|eyJ)[\w-]*[\w.*-]{8,}`), "<secret>"},
	{regexp.MustCompile(`\b[0-9a-fA-F]{24,}\b`), "<data>"},
}

// run is text without a space that is too long for a word.
var run = regexp.MustCompile(`[\w+/=-]{32,}`)

func sanitizeOnce(s string) string {
	s = shorten(strings.ToValidUTF8(s, "\uFFFD"), maxMessage)
	s = cut(standard().echoes, cut(standard().trailers, s))
	for _, m := range masks {
		s = m.re.ReplaceAllString(s, m.with)
	}
	s = run.ReplaceAllStringFunc(s, maskRun)
	s = strings.Map(foldControl, s)
	s = strings.TrimSpace(spaces.ReplaceAllString(s, " "))
	s = strings.ReplaceAll(s, "://", ": ")
	s = strings.ReplaceAll(s, "base64,", "base64 ,")
	return truncate(s)
}

// maskRun keeps long names, and hides what looks like base64 or a token.
func maskRun(s string) string {
	if len(s) >= 64 || strings.ContainsAny(s, "0123456789") {
		return "<data>"
	}
	return s
}

// foldControl turns what could move a terminal's cursor, or its text's
// direction, into a space.
func foldControl(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
		return ' '
	}
	return r
}

// truncate cuts a text at a word's end.
func truncate(s string) string {
	if utf8.RuneCountInString(s) <= maxShown {
		return s
	}
	r := []rune(s)[:maxShown-2]
	head := string(r)
	if i := strings.LastIndexByte(head, ' '); i > len(head)/2 {
		head = head[:i]
	}
	return head + " …"
}

// Slug is an upstream's error code if it is one: a short slug, no text. Empty if it is
// none.
func Slug(code string) string {
	if len(code) > 64 {
		return ""
	}
	for _, r := range code {
		if r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return ""
		}
	}
	return code
}
