package failure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"imagebreaker/internal/record"
)

const (
	maxRulesFile = 1 << 20 // bytes of a file
	maxRules     = 1000
	maxProgram   = 5000 // instructions of one pattern: what each character of a message may cost
	maxQuoted    = 80   // bytes of an invalid value that an error quotes
)

// ParseRules parses a file of rules. It is JSON as encoding/json reads it: a list of
// rules, or {"rules": […]}. A rule is an object with
//
//	name     what Judgement.Rule is if the rule decides; "user rule N", counted
//	         from 1, if absent. No two rules have the same
//	status   the HTTP statuses of the answers that the rule is for: a list of
//	         numbers, "4xx" and "5xx"; all of them if absent. It is the status on
//	         the wire, not one inside the body: an error in a 200 stream has 200
//	match    a regular expression (RE2 syntax, as in package regexp) that is
//	         searched for in the text of the answer: see Rules. Letter case
//	         counts, unless it begins with (?i)
//	verdict  permanent, suspect or none
//	reason   the Judgement's: 1 to 64 of a-z, 0-9 and _. A reason of the built-in
//	         rules has the consequences that it has there: see record.Reason.Group and
//	         WholePayload. "user_rule" if absent, as it may be if the verdict is none
//
// and no other members. A file has at most 1 MiB and 1000 rules. An error is one line
// about the first problem: its line in the file (that of the rule, if the decoder
// knows no better), the rule's number, the field, and what is valid there.
func ParseRules(data []byte) (Rules, error) {
	if len(data) > maxRulesFile {
		return nil, fmt.Errorf("file of %d bytes is too large for rules: at most %d", len(data), maxRulesFile)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	list, err := splitRules(data)
	if err != nil {
		return nil, located(data, 0, "", err)
	}
	var rules Rules
	numbers := map[string]int{} // of the rules, by name
	start := 0                  // of the rule in the file
	for i, raw := range list {
		start += bytes.Index(data[start:], raw)
		rule, err := parseRule(raw, i+1, numbers)
		if err != nil {
			return nil, located(data, start, fmt.Sprintf("rule %d: ", i+1), err)
		}
		rules = append(rules, rule)
		start += len(raw)
	}
	return rules, nil
}

// splitRules returns the rules of a file, each as it is written there.
func splitRules(data []byte) ([]json.RawMessage, error) {
	var list []json.RawMessage
	err := json.Unmarshal(data, &list)
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, err
	}
	if err != nil { // not a list: an object around one
		err = decodeStrict(data, &struct {
			Rules *[]json.RawMessage `json:"rules"`
		}{&list})
	}
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		mismatch.Field = "rules"
		return nil, mismatch
	}
	if err != nil || list == nil {
		return nil, invalid("rules")
	}
	return list, nil
}

func decodeStrict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// UnmarshalJSON accepts a number, "4xx" or "5xx".
func (s *statusRange) UnmarshalJSON(text []byte) error {
	n, err := strconv.Atoi(string(text))
	switch {
	case string(text) == `"4xx"`:
		*s = statusRange{400, 499}
	case string(text) == `"5xx"`:
		*s = statusRange{500, 599}
	case err == nil && n >= 200 && n <= 599:
		*s = statusRange{n, n}
	default:
		return invalid("status")
	}
	return nil
}

var (
	slug      = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)          // what a reason looks like
	printable = regexp.MustCompile(`^[\pL\pM\pN\pP\pS ]{1,64}$`) // what a name looks like, on one line of a terminal
)

// parseRule parses one rule. numbers are those of the rules before it, by name.
func parseRule(raw []byte, number int, numbers map[string]int) (userRule, error) {
	r := struct {
		Name    string         `json:"name"`
		Status  []statusRange  `json:"status"`
		Match   string         `json:"match"`
		Verdict record.Verdict `json:"verdict"`
		Reason  *record.Reason `json:"reason"`
	}{Name: fmt.Sprintf("user rule %d", number)}
	err := decodeStrict(raw, &r)
	if r.Reason == nil && r.Verdict == record.None {
		r.Reason = new(record.UserRule)
	}
	switch other := numbers[r.Name]; {
	case err != nil:
	case number > maxRules:
		err = fmt.Errorf("more than %d rules", maxRules)
	case strings.TrimSpace(r.Name) == "" || !printable.MatchString(r.Name):
		err = invalid("name")
	case other > 0:
		err = fmt.Errorf("name: %q is the name of rule %d too", r.Name, other)
	case r.Status != nil && len(r.Status) == 0:
		err = invalid("status")
	case r.Match == "":
		err = invalid("match")
	case r.Verdict != record.Permanent && r.Verdict != record.Suspect && r.Verdict != record.None:
		err = invalid("verdict")
	case r.Reason == nil || !slug.MatchString(string(*r.Reason)):
		err = invalid("reason")
	}
	if err != nil {
		return userRule{}, err
	}
	numbers[r.Name] = number
	match, err := compileBounded(r.Match)
	return userRule{r.Status, match, decision{r.Verdict, *r.Reason, r.Name}}, err
}

// compileBounded compiles a pattern. The cost of a match grows with the length of
// the program, which nested repetition multiplies: so that has a limit too.
func compileBounded(pattern string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, fmt.Errorf("match: %s: %q", bad.Code, shorten(bad.Expr, maxQuoted))
	}
	if program, err := syntax.Compile(tree.Simplify()); err == nil && len(program.Inst) > maxProgram {
		return nil, fmt.Errorf("match: too large: %d steps when its repetitions are written out, at most %d", len(program.Inst), maxProgram)
	}
	return regexp.Compile(pattern)
}

// valid says for each field what it takes; "" stands for the whole rule.
var valid = map[string]string{
	"":        "want an object",
	"rules":   `rules: want a list, by itself or as {"rules": […]}`,
	"name":    "name: want 1 to 64 printable characters",
	"status":  `status: want a list such as [400, "5xx"], of 200 to 599, "4xx" and "5xx"; leave it out for every status`,
	"match":   "match: want a regular expression that is not empty",
	"verdict": "verdict: want permanent, suspect or none",
	"reason":  "reason: want 1 to 64 of a-z, 0-9 and _; it may be left out only if the verdict is none",
}

func invalid(field string) error { return errors.New(valid[field]) }

// located adds the line of an error: that of start, or where the decoder stopped. It
// rewords errors of the decoder, which speak of Go's types.
func located(data []byte, start int, rule string, err error) error {
	switch e := err.(type) {
	case *json.UnmarshalTypeError:
		start += int(e.Offset)
		err = invalid(e.Field)
	case *json.SyntaxError:
		start = max(0, int(e.Offset)-1)
		err = fmt.Errorf("not JSON: %w", err)
		if strings.Contains(e.Error(), "in string escape code") {
			err = fmt.Errorf(`%w; write \\ for a pattern's backslash`, err)
		}
	default: // an unknown field has no type of its own
		err = errors.New(shorten(strings.TrimPrefix(err.Error(), "json: "), 4*maxQuoted))
	}
	return fmt.Errorf("line %d: %s%w", bytes.Count(data[:start], []byte("\n"))+1, rule, err)
}
