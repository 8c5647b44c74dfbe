package failure

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"imagebreaker/internal/record"
)

const (
	maxRulesFile = 1 << 20 // bytes of a file
	maxRules     = 1000
	maxName      = 64   // characters of a rule's name
	maxProgram   = 5000 // instructions of one pattern: what each character of a message may cost
	maxQuoted    = 80   // bytes of a wrong value that an error repeats
)

// ParseRules reads a file of rules. It is JSON, in UTF-8, without comments: a list
// of rules, or {"rules": […]}. A rule is an object with
//
//	name     what Judgement.Rule tells when the rule decides; "user rule N",
//	         counted from 1, if absent. No two rules have the same
//	status   the HTTP statuses of the answers that the rule is for: a list of
//	         numbers, "4xx" and "5xx"; all of them if absent. It is the status on
//	         the wire, not one inside the body: an error in a 200 stream has 200
//	match    a regular expression (RE2 syntax, as in package regexp) that is
//	         looked for in the answer's words: see Rules. Letter case counts,
//	         unless it begins with (?i)
//	verdict  permanent, suspect or none
//	reason   the Judgement's: 1 to 64 of a-z, 0-9 and _. A reason of the built-in
//	         rules has the consequences that it has there: see record.Reason.Group and
//	         WholePayload. "user_rule" if absent, as it may be where the verdict is none
//
// A file has at most 1 MiB and 1000 rules. An error is about one problem, on one
// line: where it is in the file, the rule's number, the field, and what would do.
func ParseRules(data []byte) (Rules, error) {
	if len(data) > maxRulesFile {
		return nil, fmt.Errorf("file of %d bytes is too large for rules: at most %d", len(data), maxRulesFile)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	entries, err := readEntries(data)
	if err != nil {
		return nil, located(data, err)
	}
	var rules Rules
	numbers := map[string]int{} // of the rules, by name
	for i, e := range entries {
		rule, err := e.rule(i+1, numbers)
		if i == maxRules {
			err = fmt.Errorf("more than %d rules", maxRules)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: rule %d: %w", lineOf(data, e.end), i+1, err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// readEntries decodes a list of rules, with or without an object around it.
func readEntries(data []byte) ([]entry, error) {
	var file struct {
		Rules []entry `json:"rules"`
	}
	into := any(&file)
	if jsontext.Value(data).Kind() == '[' {
		into = &file.Rules
	}
	err := json.Unmarshal(data, into, json.RejectUnknownMembers(true), refuseNull)
	if err == nil && file.Rules == nil {
		err = fmt.Errorf("line 1: %w", want("rules"))
	}
	return file.Rules, err
}

// errValue says that a value is none that its field takes. See wants.
var errValue = errors.New("not a value of this field")

// refuseNull keeps null apart from an absent field: the decoder does not.
var refuseNull = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ any) error {
	if d.PeekKind() == jsontext.KindNull {
		return errValue
	}
	return errors.ErrUnsupported
}))

// entry is a rule as the file has it.
type entry struct {
	Name    *string        `json:"name"`
	Status  []statusRange  `json:"status"`
	Match   string         `json:"match"`
	Verdict record.Verdict `json:"verdict"`
	Reason  *record.Reason `json:"reason"`

	end int64 // of the rule in the file
}

// UnmarshalJSONFrom reads the rule and remembers its place.
func (e *entry) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	type fields entry // without this method
	err := json.UnmarshalDecode(d, (*fields)(e))
	e.end = d.InputOffset()
	return err
}

// wants tells for each field what would do.
var wants = map[string]string{
	"rules":   `a list, by itself or as {"rules": […]}`,
	"name":    fmt.Sprintf("1 to %d characters that can be shown", maxName),
	"status":  `a list such as [400, "5xx"], of 200 to 599, "4xx" and "5xx"; leave it out for every status`,
	"match":   "a regular expression that is not empty",
	"verdict": "permanent, suspect or none",
	"reason":  "1 to 64 of a-z, 0-9 and _; it may be left out only where the verdict is none",
}

// want is the error of a field; "" stands for the whole rule.
func want(field string) error {
	switch text, known := wants[field]; {
	case known:
		return fmt.Errorf("%s: want %s", field, text)
	case field == "":
		return errors.New("want an object")
	}
	return fmt.Errorf("unknown field %q", shorten(field, maxQuoted))
}

// UnmarshalJSONFrom reads a number, "4xx" or "5xx".
func (s *statusRange) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	switch n, bad := strconv.Atoi(string(v)); {
	case string(v) == `"4xx"`:
		*s = statusRange{400, 499}
	case string(v) == `"5xx"`:
		*s = statusRange{500, 599}
	case bad == nil && n >= 200 && n <= 599:
		*s = statusRange{n, n}
	default:
		return errValue
	}
	return nil
}

// slug is what a reason has to be.
var slug = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// rule checks an entry and compiles it.
func (e entry) rule(number int, numbers map[string]int) (userRule, error) {
	name, reason := fmt.Sprintf("user rule %d", number), record.UserRule
	name, reason = *cmp.Or(e.Name, &name), *cmp.Or(e.Reason, &reason)
	u := userRule{statuses: e.Status, decision: decision{e.Verdict, reason, name}}
	var err error
	switch other := numbers[name]; {
	case !presentable(name):
		err = want("name")
	case other > 0:
		err = fmt.Errorf("name: %q is the name of rule %d too", name, other)
	case e.Status != nil && len(e.Status) == 0:
		err = want("status")
	case e.Match == "":
		err = want("match")
	case e.Verdict != record.Permanent && e.Verdict != record.Suspect && e.Verdict != record.None:
		err = want("verdict")
	case e.Reason == nil && e.Verdict != record.None || !slug.MatchString(string(reason)):
		err = want("reason")
	default:
		u.match, err = bounded(e.Match)
	}
	numbers[name] = number
	return u, err
}

// presentable reports whether a name can be shown on one line of a terminal.
func presentable(name string) bool {
	hidden := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	return strings.TrimSpace(name) != "" && utf8.RuneCountInString(name) <= maxName && !hidden
}

// bounded compiles a pattern. The work of a match grows with the length of its
// program, to which repeated repetition adds much: so that has a bound too.
func bounded(pattern string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	var bad *syntax.Error
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("match: %s: %q", bad.Code, shorten(bad.Expr, maxQuoted))
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	if n := len(program.Inst); n > maxProgram {
		return nil, fmt.Errorf("match: too large: %d steps when its repetitions are written out, at most %d", n, maxProgram)
	}
	return regexp.Compile(pattern)
}

// located says where in the file the decoder stopped, and what it wanted there.
func located(data []byte, err error) error {
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &semantic):
		rule, field := fieldAt(semantic.JSONPointer)
		return fmt.Errorf("line %d: %s%w", lineOf(data, semantic.ByteOffset), rule, want(field))
	case errors.As(err, &syntactic):
		return fmt.Errorf("line %d: %w", lineOf(data, syntactic.ByteOffset), notJSON(data, syntactic))
	}
	return err
}

// fieldAt takes a pointer such as /rules/0/match, or /0/match, apart.
func fieldAt(p jsontext.Pointer) (rule, field string) {
	tokens := append(strings.Split(strings.TrimPrefix(string(p), "/rules"), "/"), "", "")
	n, err := strconv.Atoi(tokens[1])
	if err != nil {
		return "", "rules"
	}
	return fmt.Sprintf("rule %d: ", n+1), tokens[2]
}

func notJSON(data []byte, e *jsontext.SyntacticError) error {
	rest := data[e.ByteOffset:]
	switch {
	case errors.Is(e, jsontext.ErrDuplicateName):
		rule, field := fieldAt(e.JSONPointer)
		return fmt.Errorf("%s%s: given twice", rule, field)
	case bytes.HasPrefix(rest, []byte(`\`)) && !bytes.HasPrefix(rest, []byte(`\u`)):
		return fmt.Errorf(`not JSON: %w; write \\ for a pattern's backslash`, e.Err)
	}
	return fmt.Errorf("not JSON: %w", e.Err)
}

// lineOf counts from 1.
func lineOf(data []byte, at int64) int { return bytes.Count(data[:at], []byte("\n")) + 1 }
