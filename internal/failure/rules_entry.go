package failure

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName    = 64   // characters of a rule's name
	maxProgram = 5000 // instructions of one pattern: what each character of a message may cost
	maxQuoted  = 80   // bytes of a wrong value that are told
)

// entry is one rule of a file.
type entry struct {
	file   *rulesFile
	number int
	where  string
	at     int
	fields map[string]placed
}

func (e entry) wrong(field, format string, args ...any) {
	at := e.at // the rule's, for a field that it has not
	if v, ok := e.fields[field]; ok {
		at = v.at
	}
	e.file.wrong(at, "%s%s: %s", e.where, field, fmt.Sprintf(format, args...))
}

// str returns a field that is a string. It reports a value of another kind, and
// returns false then, as it does without the field.
func (e entry) str(field string) (string, bool) {
	v, ok := e.fields[field]
	if ok && v.raw.Kind() != '"' {
		e.wrong(field, "want a string, got %s", v.what())
		return "", false
	}
	return v.text(), ok
}

// need is str for a field that every rule has.
func (e entry) need(field string) (string, bool) {
	if _, ok := e.fields[field]; !ok {
		e.wrong(field, "missing")
	}
	return e.str(field)
}

func (e entry) name() string {
	name, ok := e.str("name")
	if !ok {
		name = fmt.Sprintf("user rule %d", e.number)
	}
	switch other, taken := e.file.named[name]; {
	case strings.TrimSpace(name) == "":
		e.wrong("name", "empty")
	case utf8.RuneCountInString(name) > maxName:
		e.wrong("name", "longer than %d characters", maxName)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		e.wrong("name", "%s has a character that cannot be shown", quoted(name))
	case taken:
		e.wrong("name", "%s is the name of rule %d too", quoted(name), other)
	default:
		e.file.named[name] = e.number
	}
	return name
}

func (e entry) statuses() []statusRange {
	v, ok := e.fields["status"]
	switch {
	case !ok:
		return nil
	case v.raw.Kind() != '[':
		e.wrong("status", `want a list such as [400, "5xx"], got %s`, v.what())
		return nil
	}
	var out []statusRange
	for _, item := range v.inside() {
		s, ok := statusOf(item)
		if !ok {
			e.file.wrong(item.at, `%sstatus: %s is none of 200 to 599, "4xx", "5xx"`, e.where, shown(item))
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		e.wrong("status", "empty list: leave the field out for every status")
	}
	return out
}

func statusOf(v placed) (statusRange, bool) {
	switch v.text() {
	case "4xx":
		return statusRange{400, 499}, true
	case "5xx":
		return statusRange{500, 599}, true
	}
	n, err := strconv.Atoi(string(v.raw))
	return statusRange{n, n}, err == nil && n >= 200 && n <= 599
}

func (e entry) match() *regexp.Regexp {
	pattern, ok := e.need("match")
	if !ok {
		return nil
	}
	if pattern == "" {
		e.wrong("match", "empty: it would match every message")
		return nil
	}
	re, err := bounded(pattern)
	var bad *syntax.Error
	if errors.As(err, &bad) {
		e.wrong("match", "%s: %s", bad.Code, quoted(bad.Expr))
	} else if err != nil {
		e.wrong("match", "%v", err)
	}
	return re
}

// bounded compiles a pattern. The work of a match grows with the length of its
// program, to which repeated repetition adds much: so that has a bound too.
func bounded(pattern string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if n := len(program.Inst); n > maxProgram {
		return nil, fmt.Errorf("too large: %d steps when its repetitions are written out, at most %d", n, maxProgram)
	}
	return regexp.Compile(pattern)
}

func (e entry) verdict() Verdict {
	s, ok := e.need("verdict")
	v := Verdict(s)
	if ok && v != Permanent && v != Suspect && v != None {
		e.wrong("verdict", "%s is none of %s, %s, %s", quoted(s), Permanent, Suspect, None)
	}
	return v
}

// slug is what a reason has to be.
var slug = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

func (e entry) reason(v Verdict) string {
	s, ok := e.str("reason")
	_, given := e.fields["reason"]
	switch {
	case !given && v == None:
		return "user_rule"
	case !given && (v == Permanent || v == Suspect):
		e.wrong("reason", "missing: it may be left out only where the verdict is %s", None)
	case ok && !slug.MatchString(s):
		e.wrong("reason", "%s is not 1 to 64 of a-z, 0-9 and _", quoted(s))
	}
	return s
}

// quoted is a text for an error: on one line, and not too long.
func quoted(s string) string { return strconv.Quote(shorten(s, maxQuoted)) }

// shown is a value for an error.
func shown(v placed) string {
	switch v.raw.Kind() {
	case '"':
		return quoted(v.text())
	case '0':
		return shorten(string(v.raw), maxQuoted)
	}
	return v.what()
}
