package failure

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// goodFiles are files and the names of their rules.
var goodFiles = []struct {
	name, file string
	rules      []string
}{
	{"no rules", `[]`, nil},
	{"no rules in an object", `{"rules":[]}`, nil},
	{"one", `[{"name":"a","match":"x","verdict":"none"}]`, []string{"a"}},
	{"in an object", `{"rules":[{"name":"a","match":"x","verdict":"none"}]}`, []string{"a"}},
	{"without names", `[{"match":"x","verdict":"none"},{"match":"y","verdict":"suspect","reason":"y"}]`, []string{"user rule 1", "user rule 2"}},
	{"every field", `[{"reason":"a_1","verdict":"permanent","match":"x","status":[200,404,"4xx","5xx"],"name":"bär"}]`, []string{"bär"}},
	{"byte order mark, Windows line ends", "\uFEFF[\r\n{\"match\":\"x\",\r\n\"verdict\":\"none\"}\r\n]\r\n", []string{"user rule 1"}},
	{"escapes", `[{"n\u0061me":"\u0061","match":"\\d","verdict":"n\u006fne"}]`, []string{"a"}},
	{"longest", `[{"name":"` + strings.Repeat("ä", 64) + `","match":"x","verdict":"suspect","reason":"` + strings.Repeat("a", 64) + `"}]`, []string{strings.Repeat("ä", 64)}},
	{"much repetition", `[{"match":"(?:.{0,20}x){50}","verdict":"none"}]`, []string{"user rule 1"}},
	{"marks of comments in strings", `[{"name":"# // /*","match":"// #","verdict":"none"}]`, []string{"# // /*"}},
}

func TestParseRules(t *testing.T) {
	t.Parallel()
	for _, c := range goodFiles {
		rules, err := ParseRules([]byte(c.file))
		var names []string
		for _, r := range rules {
			names = append(names, r.decision.rule)
		}
		if err != nil || !slices.Equal(names, c.rules) {
			t.Errorf("%s: %q, %v", c.name, names, err)
		}
	}
}

// badFiles are files and all that is said of them. The wrong rule is the
// second, in line 3, where there is more than one.
var badFiles = []struct{ name, file, want string }{
	// not JSON
	{"empty", "", "line 1:1: not JSON: the file is empty"},
	{"blank", " \n\t\n", "line 1:1: not JSON: the file is empty"},
	{"cut", "[\n{\"match\":", "line 2:10: not JSON: the file ends too early"},
	{"cut in a string", `[{"match":"ä`, "line 1:13: not JSON: the file ends too early"},
	{"a comma too many", "[\n\n  1,]", "line 3:5: not JSON: invalid character ']' at start of value"},
	{"a comma too few", "{\"a\":1\n\"b\":2}", "line 2:1: not JSON: invalid character '\"' after object value (expecting ',' or '}')"},
	{"single quotes", "[{'match':'x'}]", "line 1:3: not JSON: invalid character '\\'' at start of string (expecting '\"')"},
	{"yaml", "- match: x", "line 1:2: not JSON: invalid character ' ' in number (expecting digit)"},
	{"a pattern's backslash", "[{\n\"match\":\"ä\\d\"}]", "line 2:11: not JSON: invalid escape sequence `\\d` in string; write \\\\ for a pattern's backslash"},
	{"half a pair", `["\ud800x"]`, "line 1:3: not JSON: invalid surrogate pair `\\ud800x\"]` in string"},
	{"latin 1", "[\"\xe4\"]", "line 1:3: not JSON: invalid UTF-8"},
	{"after the end", "[]\n []", "line 2:2: not JSON: text after the end"},
	{"nested without end", strings.Repeat("[", 20000), "line 1:10001: not JSON: exceeded max depth"},
	// comments
	{"first line a comment", "# rules\n[]", "line 1:1: not JSON: comments are not supported"},
	{"comment in a list", "[\n  // none\n]", "line 2:3: not JSON: comments are not supported"},
	{"comment in an object", "[{\n  # none\n}]", "line 2:3: not JSON: comments are not supported"},
	{"comment behind a value", "[1, // one\n2]", "line 1:5: not JSON: comments are not supported"},
	{"comment before a comma", "[1 /* one */, 2]", "line 1:4: not JSON: comments are not supported"},
	{"comment at the end", "[]\n// end", "line 2:1: not JSON: comments are not supported"},
	{"no comment", "[/]", "line 1:2: not JSON: invalid character '/' at start of value"},
	// the whole
	{"a string", `"x"`, `line 1: want a list of rules or {"rules": […]}, got a string`},
	{"null", "\n null", `line 2: want a list of rules or {"rules": […]}, got null`},
	{"no list", `{}`, "line 1: rules: missing"},
	{"rules an object", "{\n\"rules\":\n{}}", "line 3: rules: want a list, got an object"},
	{"a rule without list", "{\"match\":\"x\",\n\"verdict\":\"none\"}", "line 1: rules: missing\nline 1: unknown field \"match\": known are rules\nline 2: unknown field \"verdict\": known are rules"},
	{"rules twice", "{\"rules\":[],\n\"rules\":[]}", "line 2: rules: given twice"},
	{"a rule a list", "[\n[]]", "line 2: rule 1: want an object, got a list"},
	// fields
	{"unknown", second(`"match":"y","vedict":"none","verdict":"none"`), `line 3: rule 2: unknown field "vedict": known are name, status, match, verdict, reason`},
	{"case of a field", second(`"match":"y","Verdict":"none"`), "line 3: rule 2: verdict: missing\nline 3: rule 2: unknown field \"Verdict\": known are name, status, match, verdict, reason"},
	{"unknown, on two lines", second(`"match":"y","verdict":"none","a\nb":1`), `line 3: rule 2: unknown field "a\nb": known are name, status, match, verdict, reason`},
	{"twice", second(`"match":"y","verdict":"none",` + "\n" + `"verdict":"none"`), "line 4: rule 2: verdict: given twice"},
	{"nothing", second(``), "line 3: rule 2: match: missing\nline 3: rule 2: verdict: missing"},
	// name
	{"name a number", second(`"name":2,"match":"y","verdict":"none"`), "line 3: rule 2: name: want a string, got a number"},
	{"name empty", second(`"name":" ","match":"y","verdict":"none"`), "line 3: rule 2: name: empty"},
	{"name long", second(`"name":"` + strings.Repeat("ä", 65) + `","match":"y","verdict":"none"`), "line 3: rule 2: name: longer than 64 characters"},
	{"name moves the cursor", second(`"name":"a\u001b[2J","match":"y","verdict":"none"`), `line 3: rule 2: name: "a\x1b[2J" has a character that cannot be shown`},
	{"name of another", second(`"name":"first","match":"y","verdict":"none"`), `line 3: rule 2: name: "first" is the name of rule 1 too`},
	{"name that another gets", `[{"name":"user rule 2","match":"x","verdict":"none"},` + "\n" + `{"match":"y","verdict":"none"}]`, `line 2: rule 2: name: "user rule 2" is the name of rule 1 too`},
	// status
	{"status a number", second(`"status":400,"match":"y","verdict":"none"`), `line 3: rule 2: status: want a list such as [400, "5xx"], got a number`},
	{"status null", second(`"status":null,"match":"y","verdict":"none"`), `line 3: rule 2: status: want a list such as [400, "5xx"], got null`},
	{"no status", second(`"status":[],"match":"y","verdict":"none"`), "line 3: rule 2: status: empty list: leave the field out for every status"},
	{"wrong statuses", second("\"status\":[400,\n40,\n600,\n4e2,\n\"2xx\",\n\"400\",\ntrue,\n{\"a\":\n1},199.5],\"match\":\"y\",\"verdict\":\"none\""),
		"line 4: rule 2: status: 40 is none of 200 to 599, \"4xx\", \"5xx\"\nline 5: rule 2: status: 600 is none of 200 to 599, \"4xx\", \"5xx\"\n" +
			"line 6: rule 2: status: 4e2 is none of 200 to 599, \"4xx\", \"5xx\"\nline 7: rule 2: status: \"2xx\" is none of 200 to 599, \"4xx\", \"5xx\"\n" +
			"line 8: rule 2: status: \"400\" is none of 200 to 599, \"4xx\", \"5xx\"\nline 9: rule 2: status: true is none of 200 to 599, \"4xx\", \"5xx\"\n" +
			"line 10: rule 2: status: an object is none of 200 to 599, \"4xx\", \"5xx\"\nline 11: rule 2: status: 199.5 is none of 200 to 599, \"4xx\", \"5xx\""},
	// match
	{"match a list", second(`"match":["y"],"verdict":"none"`), "line 3: rule 2: match: want a string, got a list"},
	{"match empty", second(`"match":"","verdict":"none"`), "line 3: rule 2: match: empty: it would match every message"},
	{"match open", second(`"match":"(y","verdict":"none"`), `line 3: rule 2: match: missing closing ): "(y"`},
	{"match looks ahead", second(`"match":"y(?!z)","verdict":"none"`), `line 3: rule 2: match: invalid or unsupported Perl syntax: "(?!"`},
	{"match on two lines", second(`"match":"(y\nz","verdict":"none"`), `line 3: rule 2: match: missing closing ): "(y\nz"`},
	{"match long", second(`"match":"(` + strings.Repeat("y", 200) + `","verdict":"none"`), `line 3: rule 2: match: missing closing ): "(` + strings.Repeat("y", 59) + "…" + strings.Repeat("y", 20) + `"`},
	{"match repeats too often", second(`"match":"y{1001}","verdict":"none"`), `line 3: rule 2: match: invalid repeat count: "{1001}"`},
	{"match repeats too much", second(`"match":"(?:yyyyy){1000}z","verdict":"none"`), "line 3: rule 2: match: too large: 5003 steps when its repetitions are written out, at most 5000"},
	// verdict
	{"verdict a misspelling", second("\"match\":\"y\",\n\"verdict\":\"permanant\""), `line 4: rule 2: verdict: "permanant" is none of permanent, suspect, none`},
	{"verdict's case", second(`"match":"y","verdict":"None"`), `line 3: rule 2: verdict: "None" is none of permanent, suspect, none`},
	{"verdict empty", second(`"match":"y","verdict":""`), `line 3: rule 2: verdict: "" is none of permanent, suspect, none`},
	{"verdict null", second(`"match":"y","verdict":null`), "line 3: rule 2: verdict: want a string, got null"},
	// reason
	{"reason missing", second(`"match":"y","verdict":"permanent"`), "line 3: rule 2: reason: missing: it may be left out only where the verdict is none"},
	{"reason missing, suspect", second(`"match":"y","verdict":"suspect"`), "line 3: rule 2: reason: missing: it may be left out only where the verdict is none"},
	{"reason empty", second(`"match":"y","verdict":"none","reason":""`), `line 3: rule 2: reason: "" is not 1 to 64 of a-z, 0-9 and _`},
	{"reason no slug", second(`"match":"y","verdict":"none","reason":"Decode failed"`), `line 3: rule 2: reason: "Decode failed" is not 1 to 64 of a-z, 0-9 and _`},
	{"reason two lines", second(`"match":"y","verdict":"none","reason":"a\n"`), `line 3: rule 2: reason: "a\n" is not 1 to 64 of a-z, 0-9 and _`},
	{"reason long", second(`"match":"y","verdict":"none","reason":"` + strings.Repeat("a", 65) + `"`), `line 3: rule 2: reason: "` + strings.Repeat("a", 65) + `" is not 1 to 64 of a-z, 0-9 and _`},
	{"reason false", second(`"match":"y","verdict":"permanent","reason":false`), "line 3: rule 2: reason: want a string, got false"},
	// several, in the file's order
	{"all wrong", "[{\"reason\":1,\n\"verdict\":2,\n\"match\":3,\n\"status\":4,\n\"name\":5}]",
		"line 1: rule 1: reason: want a string, got a number\nline 2: rule 1: verdict: want a string, got a number\n" +
			"line 3: rule 1: match: want a string, got a number\nline 4: rule 1: status: want a list such as [400, \"5xx\"], got a number\n" +
			"line 5: rule 1: name: want a string, got a number"},
	// bounds
	{"a rule too many", "[" + strings.Repeat(`{"match":"x","verdict":"none"},`, 1000) + "\n1,2]", "line 2: rule 1001: more than 1000 rules"},
	{"a byte too many", strings.Repeat(" ", 1<<20-1) + "[]", "file of 1048577 bytes is too large for rules: at most 1048576"},
}

// second is a file whose second rule has these fields.
func second(fields string) string {
	return "[{\"name\":\"first\",\"match\":\"x\",\"verdict\":\"none\"},\n\n{" + fields + "}]"
}

func TestParseRulesErrors(t *testing.T) {
	t.Parallel()
	for _, c := range badFiles {
		rules, err := ParseRules([]byte(c.file))
		if err == nil || err.Error() != c.want || rules != nil {
			t.Errorf("%s: %d rules, error\n%v\nwant\n%s", c.name, len(rules), err, c.want)
		}
	}
}

func TestParseRulesLargest(t *testing.T) {
	t.Parallel()
	rule := `{"match":"x","verdict":"none"},`
	file := "[" + strings.Repeat(rule, maxRules-1) + strings.TrimSuffix(rule, ",") + "]"
	file += strings.Repeat("\n", maxRulesFile-len(file))
	if rules, err := ParseRules([]byte(file)); len(rules) != maxRules || err != nil {
		t.Errorf("%d rules, %v", len(rules), err)
	}
}

// Of many problems the first are told.
func TestParseRulesManyProblems(t *testing.T) {
	t.Parallel()
	_, err := ParseRules([]byte("[" + strings.Repeat("1,\n", 24) + "1]"))
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != maxProblems+1 || lines[19] != "line 20: rule 20: want an object, got a number" || lines[20] != "and 5 more" {
		t.Errorf("%d lines: %v", len(lines), err)
	}
}

// The file's bytes may change after it was parsed.
func TestParseRulesKeepsNoBytes(t *testing.T) {
	t.Parallel()
	data := []byte(`[{"name":"mine","match":"picture","verdict":"permanent","reason":"x"}]`)
	rules, err := ParseRules(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if j := rules.Judge(Answer{Status: 400, Body: []byte("bad picture")}); j.Rule != "mine" || j.Reason != "x" {
		t.Errorf("%s by %q", j.Reason, j.Rule)
	}
}

func FuzzParseRules(f *testing.F) {
	for _, c := range goodFiles {
		f.Add([]byte(c.file))
	}
	for _, c := range badFiles {
		if len(c.file) < 4<<10 {
			f.Add([]byte(c.file))
		}
	}
	example, err := os.ReadFile("../../testdata/failure/rules.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := ParseRules(data)
		if err != nil {
			checkProblems(t, err)
			return
		}
		checkRules(t, rules)
	})
}

// checkProblems holds what is true of every error of ParseRules.
func checkProblems(t *testing.T, err error) {
	t.Helper()
	for i, line := range strings.Split(err.Error(), "\n") {
		var n int
		_, bad := fmt.Sscanf(line, "line %d:", &n)
		if more := i == maxProblems && strings.HasPrefix(line, "and "); !more && (bad != nil || n < 1) || len(line) > 1000 {
			t.Errorf("%q", line)
		}
	}
}

// checkRules holds what is true of all rules, and that they leave alone what is
// no error.
func checkRules(t *testing.T, rules Rules) {
	t.Helper()
	names := map[string]bool{}
	for _, r := range rules {
		d := r.decision
		if names[d.rule] || d.rule == "" || !slug.MatchString(d.reason) || !slices.Contains([]Verdict{Permanent, Suspect, None}, d.verdict) || r.match == nil {
			t.Errorf("%+v", r)
		}
		names[d.rule] = true
	}
	for _, f := range frames[:3] {
		j, ok := rules.JudgeEvent(f.event, []byte(f.data))
		if !ok {
			t.Errorf("%s is no frame", f.name)
		}
		check(t, j)
	}
	if j := rules.Judge(Answer{Status: 200, Body: []byte(`{"output":"error"}`)}); j.Verdict != None || j.Reason != "model_text" {
		t.Errorf("model text: %+v", j)
	}
}
