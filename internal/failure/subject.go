package failure

import (
	"regexp"
	"slices"
	"strings"
)

// subject is what the rules look at.
type subject struct {
	told
	status  int    // HTTP status of the answer, 200 for a frame of a stream
	clean   string // the innermost message without echoes, bounded
	text    string // the innermost message, plain: see plain
	outer   string // what relays wrote around it, plain
	address []address
}

// anyURL is an address in a message, whole, redacted or cut. A word in it is the
// user's, so the rules see "<url>" in its place.
var anyURL = compile(
	`\b[a-zA-Z][a-zA-Z0-9+.-]{1,15}://(?:[^\s'"\\]*[^\s'"\\,.:;)\]}])?|\[URL_REDACTED\]|\[REDACTED(?:_URL)?\]`,
	`<redacted(?:[ _-]url)?>|<path>|\*{3,}`)

// spaces fold to one.
var spaces = regexp.MustCompile(`\s+`)

// plain brings a message into the form that the patterns are written for: echoes
// cut, addresses out, lower case, single spaces, straight apostrophes.
func plain(s string, echoes []echo) string {
	return fold(shorten(cut(echoes, s), maxMessage))
}

func fold(s string) string {
	s = anyURL.ReplaceAllStringFunc(s, plainURL)
	s = strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	s = strings.TrimSpace(spaces.ReplaceAllString(s, " "))
	for _, p := range preambles {
		s = strings.ReplaceAll(s, p, "")
	}
	return s
}

// plainURL keeps the scheme of an address that no media has: it may be the only
// sign that the fault is a database's.
func plainURL(s string) string {
	scheme, _, ok := strings.Cut(s, "://")
	if !ok || slices.Contains(mediaSchemes, strings.ToLower(scheme)) {
		return "<url>"
	}
	return scheme + " <url>"
}

// preambles are what an upstream puts before every message, so that their words
// say nothing: SGLang's, Bedrock's.
var preambles = []string{"internal server error: ", "the model returned the following errors: "}

func newSubject(t told, status int, echoes []echo) subject {
	s := subject{told: t, status: status, clean: shorten(cut(echoes, t.message), maxMessage)}
	s.text = fold(s.clean)
	var outer []string
	for _, a := range t.around {
		outer = append(outer, plain(a, echoes))
	}
	s.outer = strings.Join(outer, "\n")
	s.address = addresses(s.clean)
	return s
}

// all is the message and everything around it.
func (s subject) all() string { return s.text + "\n" + s.outer }

// state is the HTTP status that says most: the innermost one that is an error.
func (s subject) state() int {
	if s.told.status != 0 {
		return s.told.status
	}
	return s.status
}
