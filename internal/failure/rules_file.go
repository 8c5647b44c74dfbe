package failure

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	maxRulesFile = 1 << 20 // bytes of a file
	maxRules     = 1000
	maxProblems  = 20 // of a file that are told
)

// ruleFields are the fields of a rule.
var ruleFields = []string{"name", "status", "match", "verdict", "reason"}

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
//	         rules has the consequences that it has there: see WholePayload and
//	         GroupOf. "user_rule" if absent, as it may be where the verdict is none
//
// A file has at most 1 MiB and 1000 rules. An error has a line for every problem,
// with the file's line and the field, for the first 20 of them: the rules are nil
// then.
func ParseRules(data []byte) (Rules, error) {
	if len(data) > maxRulesFile {
		return nil, fmt.Errorf("file of %d bytes is too large for rules: at most %d", len(data), maxRulesFile)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	root, err := wholeJSON(data)
	if err != nil {
		return nil, err
	}
	f := &rulesFile{named: map[string]int{}}
	f.root(root)
	if len(f.problems) > 0 {
		return nil, f.err(data)
	}
	return f.rules, nil
}

// rulesFile collects the rules of a file and what is wrong with them.
type rulesFile struct {
	rules    Rules
	named    map[string]int // the rules' numbers by their names
	problems []problem
}

type problem struct {
	at   int // in bytes
	text string
}

func (f *rulesFile) wrong(at int, format string, args ...any) {
	f.problems = append(f.problems, problem{at, fmt.Sprintf(format, args...)})
}

// err tells the problems in the file's order.
func (f *rulesFile) err(data []byte) error {
	slices.SortStableFunc(f.problems, func(a, b problem) int { return cmp.Compare(a.at, b.at) })
	var lines []string
	for i, p := range f.problems {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("and %d more", len(f.problems)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("line %d: %s", lineOf(data, p.at), p.text))
	}
	return errors.New(strings.Join(lines, "\n"))
}

func (f *rulesFile) root(v placed) {
	switch v.raw.Kind() {
	case '[':
		f.list(v)
	case '{':
		if list, ok := f.fields(v, "", []string{"rules"})["rules"]; !ok {
			f.wrong(v.at, "rules: missing")
		} else if list.raw.Kind() != '[' {
			f.wrong(list.at, "rules: want a list, got %s", list.what())
		} else {
			f.list(list)
		}
	default:
		f.wrong(v.at, `want a list of rules or {"rules": […]}, got %s`, v.what())
	}
}

func (f *rulesFile) list(v placed) {
	for i, item := range v.inside() {
		if i == maxRules {
			f.wrong(item.at, "rule %d: more than %d rules", i+1, maxRules)
			return
		}
		f.rule(i+1, item)
	}
}

func (f *rulesFile) rule(number int, v placed) {
	where := fmt.Sprintf("rule %d: ", number)
	if v.raw.Kind() != '{' {
		f.wrong(v.at, "%swant an object, got %s", where, v.what())
		return
	}
	e := entry{f, number, where, v.at, f.fields(v, where, ruleFields)}
	u := userRule{statuses: e.statuses(), match: e.match()}
	u.decision = decision{verdict: e.verdict(), rule: e.name()}
	u.decision.reason = e.reason(u.decision.verdict)
	f.rules = append(f.rules, u)
}

// fields returns an object's values by their names.
func (f *rulesFile) fields(v placed, where string, known []string) map[string]placed {
	out := map[string]placed{}
	for pair := range slices.Chunk(v.inside(), 2) {
		name := pair[0].text()
		_, again := out[name]
		switch {
		case !slices.Contains(known, name):
			f.wrong(pair[0].at, "%sunknown field %s: known are %s", where, quoted(name), strings.Join(known, ", "))
		case again:
			f.wrong(pair[0].at, "%s%s: given twice", where, name)
		default:
			out[name] = pair[1]
		}
	}
	return out
}
