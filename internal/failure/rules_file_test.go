package failure

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"imagebreaker/internal/record"
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
	// encoding/json is lenient: of a member that is given twice the last one counts, null is no value, broken UTF-8 is replaced
	{"rules twice", `{"rules":[{"match":"x","verdict":"none"}],"rules":[]}`, nil},
	{"field twice", `[{"name":"a","match":"x","verdict":"none","name":"b"}]`, []string{"b"}},
	{"field in another letter case", `[{"Name":"a","match":"x","VERDICT":"none"}]`, []string{"a"}},
	{"null", `[{"name":null,"status":null,"match":"x","verdict":"none","reason":null}]`, []string{"user rule 1"}},
	{"half a surrogate pair", `[{"name":"\ud800x","match":"x","verdict":"none"}]`, []string{"\uFFFDx"}},
	{"latin 1", "[{\"name\":\"\xe4\",\"match\":\"x\",\"verdict\":\"none\"}]", []string{"\uFFFD"}},
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

// badFiles are files and what is said of them. The wrong rule is the
// second, in line 3, where there is more than one.
var badFiles = []struct{ name, file, want string }{
	// not JSON
	{"empty", "", "line 1: not JSON: unexpected end of JSON input"},
	{"blank", " \n\t\n", "line 2: not JSON: unexpected end of JSON input"},
	{"cut", "[\n{\"match\":", "line 2: not JSON: unexpected end of JSON input"},
	{"cut in a string", `[{"match":"ä`, "line 1: not JSON: unexpected end of JSON input"},
	{"a comma too many", "[\n\n  {},]", "line 3: not JSON: invalid character ']' looking for beginning of value"},
	{"a comma too few", "[{\"match\":\"x\"\n\"verdict\":\"none\"}]", "line 2: not JSON: invalid character '\"' after object key:value pair"},
	{"single quotes", "[{'match':'x'}]", "line 1: not JSON: invalid character '\\'' looking for beginning of object key string"},
	{"yaml", "- match: x", "line 1: not JSON: invalid character ' ' in numeric literal"},
	{"a pattern's backslash", "[{\n\"match\":\"ä\\d\"}]", "line 2: not JSON: invalid character 'd' in string escape code; write \\\\ for a pattern's backslash"},
	{"after the end", "[]\n []", "line 2: not JSON: invalid character '[' after top-level value"},
	// comments
	{"first line a comment", "# rules\n[]", "line 1: not JSON: invalid character '#' looking for beginning of value"},
	{"comment in a list", "[\n  // none\n]", "line 2: not JSON: invalid character '/' looking for beginning of value"},
	{"comment in an object", "[{\n  # none\n}]", "line 2: not JSON: invalid character '#' looking for beginning of object key string"},
	{"comment behind a value", "[{}, // one\n{}]", "line 1: not JSON: invalid character '/' looking for beginning of value"},
	{"comment before a comma", "[{} /* one */, {}]", "line 1: not JSON: invalid character '/' after array element"},
	{"comment at the end", "[]\n// end", "line 2: not JSON: invalid character '/' after top-level value"},
	// the whole
	{"a string", `"x"`, "line 1: " + wantRules},
	{"null", "\n null", "line 1: " + wantRules},
	{"no list", `{}`, "line 1: " + wantRules},
	{"rules an object", "{\n\"rules\":\n{}}", "line 3: " + wantRules},
	{"rules null", "{\n\"rules\":\nnull}", "line 1: " + wantRules},
	{"a rule without list", "{\n\"match\":\"x\",\n\"verdict\":\"none\"}", "line 1: " + wantRules},
	{"a rule a list", "[\n[]]", "line 2: rule 1: want an object"},
	{"a rule null", "{\"rules\":[\nnull]}", "line 2: rule 1: match: want a regular expression that is not empty"},
	{"nested without end", strings.Repeat("[", 20000), "line 1: not JSON: invalid character '[' exceeded max depth"},
	// fields
	{"unknown", second(`"match":"y","vedict":"none","verdict":"none"`), `line 3: rule 2: unknown field "vedict"`},
	{"unknown, on two lines", second(`"match":"y","verdict":"none","a\nb":1`), `line 3: rule 2: unknown field "a\nb"`},
	{"unknown, moves the cursor", second(`"match":"y","verdict":"none","a\u001b[2J":1`), `line 3: rule 2: unknown field "a\x1b[2J"`},
	{"nothing", second(``), "line 3: rule 2: match: want a regular expression that is not empty"},
	// name
	{"name a number", second(`"name":2,"match":"y","verdict":"none"`), wantName},
	{"name empty", second(`"name":" ","match":"y","verdict":"none"`), wantName},
	{"name long", second(`"name":"` + strings.Repeat("ä", 65) + `","match":"y","verdict":"none"`), wantName},
	{"name moves the cursor", second(`"name":"a\u001b[2J","match":"y","verdict":"none"`), wantName},
	{"name of another", second(`"name":"first","match":"y","verdict":"none"`), `line 3: rule 2: name: "first" is the name of rule 1 too`},
	{"name that another gets", `[{"name":"user rule 2","match":"x","verdict":"none"},` + "\n" + `{"match":"y","verdict":"none"}]`, `line 2: rule 2: name: "user rule 2" is the name of rule 1 too`},
	// status
	{"status a number", second(`"status":400,"match":"y","verdict":"none"`), "line 3: " + wantStatus},
	{"no status", second(`"status":[],"match":"y","verdict":"none"`), "line 3: " + wantStatus},
	{"status too small", second("\"status\":[400,\n40],\"match\":\"y\",\"verdict\":\"none\""), "line 3: " + wantStatus},
	{"status too large", second("\"status\":[400,\n600],\"match\":\"y\",\"verdict\":\"none\""), "line 3: " + wantStatus},
	{"status with an exponent", second("\"status\":[400,\n4e2],\"match\":\"y\",\"verdict\":\"none\""), "line 3: " + wantStatus},
	{"status a fraction", second("\"status\":[400,\n199.5],\"match\":\"y\",\"verdict\":\"none\""), "line 3: " + wantStatus},
	{"status of another class", second("\"status\":[400,\n\"2xx\"],\"match\":\"y\",\"verdict\":\"none\""), "line 3: " + wantStatus},
	{"status a string", second("\"status\":[400,\n\"400\"],\"match\":\"y\",\"verdict\":\"none\""), "line 3: " + wantStatus},
	{"status true", second("\"status\":[400,\ntrue],\"match\":\"y\",\"verdict\":\"none\""), "line 3: " + wantStatus},
	{"status null in the list", second("\"status\":[400,\nnull],\"match\":\"y\",\"verdict\":\"none\""), "line 3: " + wantStatus},
	{"status an object", second("\"status\":[400,\n{\"a\":\n1}],\"match\":\"y\",\"verdict\":\"none\""), "line 3: " + wantStatus},
	// match
	{"match a list", second(`"match":["y"],"verdict":"none"`), "line 3: rule 2: match: want a regular expression that is not empty"},
	{"match empty", second(`"match":"","verdict":"none"`), "line 3: rule 2: match: want a regular expression that is not empty"},
	{"match open", second(`"match":"(y","verdict":"none"`), `line 3: rule 2: match: missing closing ): "(y"`},
	{"match looks ahead", second(`"match":"y(?!z)","verdict":"none"`), `line 3: rule 2: match: invalid or unsupported Perl syntax: "(?!"`},
	{"match on two lines", second(`"match":"(y\nz","verdict":"none"`), `line 3: rule 2: match: missing closing ): "(y\nz"`},
	{"match long", second(`"match":"(` + strings.Repeat("y", 200) + `","verdict":"none"`), `line 3: rule 2: match: missing closing ): "(` + strings.Repeat("y", 59) + "…" + strings.Repeat("y", 20) + `"`},
	{"match repeats too often", second(`"match":"y{1001}","verdict":"none"`), `line 3: rule 2: match: invalid repeat count: "{1001}"`},
	{"match repeats too much", second(`"match":"(?:yyyyy){1000}z","verdict":"none"`), "line 3: rule 2: match: too large: 5003 steps when its repetitions are written out, at most 5000"},
	// verdict
	{"verdict missing", second(`"match":"y"`), "line 3: " + wantVerdict},
	{"verdict a misspelling", second("\"match\":\"y\",\n\"verdict\":\"permanant\""), "line 3: " + wantVerdict},
	{"verdict's case", second(`"match":"y","verdict":"None"`), "line 3: " + wantVerdict},
	{"verdict empty", second(`"match":"y","verdict":""`), "line 3: " + wantVerdict},
	{"verdict null", second(`"match":"y","verdict":null`), "line 3: " + wantVerdict},
	{"verdict a number", second(`"match":"y","verdict":2`), "line 3: " + wantVerdict},
	// reason
	{"reason missing", second(`"match":"y","verdict":"permanent"`), wantReason},
	{"reason missing, suspect", second(`"match":"y","verdict":"suspect"`), wantReason},
	{"reason empty", second(`"match":"y","verdict":"none","reason":""`), wantReason},
	{"reason no slug", second(`"match":"y","verdict":"none","reason":"Decode failed"`), wantReason},
	{"reason two lines", second(`"match":"y","verdict":"none","reason":"a\n"`), wantReason},
	{"reason long", second(`"match":"y","verdict":"none","reason":"` + strings.Repeat("a", 65) + `"`), wantReason},
	{"reason false", second(`"match":"y","verdict":"permanent","reason":false`), wantReason},
	// of several the first
	{"all wrong", "[{\"reason\":\"a_1\",\n\"verdict\":2,\n\"match\":3,\n\"status\":4,\n\"name\":5}]", "line 2: rule 1: verdict: want permanent, suspect or none"},
	// bounds
	{"a rule too many", "[" + strings.Repeat(`{"match":"x","verdict":"none"},`, 1000) + "\n{},{}]", "line 2: rule 1001: more than 1000 rules"},
	{"a byte too many", strings.Repeat(" ", 1<<20-1) + "[]", "file of 1048577 bytes is too large for rules: at most 1048576"},
}

// What would do, of the second rule's fields.
const (
	wantRules   = `rules: want a list, by itself or as {"rules": […]}`
	wantName    = "line 3: rule 2: name: want 1 to 64 printable characters"
	wantStatus  = `rule 2: status: want a list such as [400, "5xx"], of 200 to 599, "4xx" and "5xx"; leave it out for every status`
	wantVerdict = "rule 2: verdict: want permanent, suspect or none"
	wantReason  = "line 3: rule 2: reason: want 1 to 64 of a-z, 0-9 and _; it may be left out only if the verdict is none"
)

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
			checkProblem(t, err)
			return
		}
		checkRules(t, rules)
	})
}

// checkProblem holds what is true of every error of ParseRules.
func checkProblem(t *testing.T, err error) {
	t.Helper()
	text := err.Error()
	var n int
	if _, bad := fmt.Sscanf(text, "line %d:", &n); bad != nil || n < 1 || len(text) > 1000 || strings.Contains(text, "\n") {
		t.Errorf("%q", text)
	}
}

// checkRules holds what is true of all rules, and that they leave alone what is
// no error.
func checkRules(t *testing.T, rules Rules) {
	t.Helper()
	names := map[string]bool{}
	for _, r := range rules {
		d := r.decision
		if names[d.rule] || d.rule == "" || !slug.MatchString(string(d.reason)) || !slices.Contains([]record.Verdict{record.Permanent, record.Suspect, record.None}, d.verdict) || r.match == nil {
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
	if j := rules.Judge(Answer{Status: 200, Body: []byte(`{"output":"error"}`)}); j.Verdict != record.None || j.Reason != "model_text" {
		t.Errorf("model text: %+v", j)
	}
}
