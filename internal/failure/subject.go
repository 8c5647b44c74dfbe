package failure

import (
	"regexp"
	"slices"
	"strings"
)

// subject is what the rules look at.
type subject struct {
	extracted
	status  int      // HTTP status of the answer; 200 for an event by itself
	clean   string   // the innermost message without echoes, bounded
	text    string   // the innermost message, plain: see plain
	outer   string   // what relays wrote around it, plain
	spoken  []string // both as a user's rules see them, the message first: see written
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
func plain(s string, echoes []echo) string { return fold(written(s, echoes)) }

// written is a message on one line, in the upstream's own letters, without echoes
// and addresses.
func written(s string, echoes []echo) string {
	s = anyURL.ReplaceAllStringFunc(shorten(cut(echoes, s), maxMessage), plainURL)
	return strings.TrimSpace(spaces.ReplaceAllString(s, " "))
}

func fold(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, "’", "'"))
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

func newSubject(x extracted, status int, echoes []echo) subject {
	s := subject{extracted: x, status: status, clean: shorten(cut(echoes, x.message), maxMessage)}
	s.spoken = []string{written(s.clean, nil)}
	s.text = fold(s.spoken[0])
	var outer []string
	for _, a := range x.around {
		w := written(a, echoes)
		s.spoken = append(s.spoken, w)
		outer = append(outer, fold(w))
	}
	s.outer = strings.Join(outer, "\n")
	s.address = addresses(s.clean)
	return s
}

// all is the message and everything around it.
func (s subject) all() string { return s.text + "\n" + s.outer }

// state is the HTTP status that says most: the innermost one that is an error.
func (s subject) state() int {
	if s.extracted.status != 0 {
		return s.extracted.status
	}
	return s.status
}
