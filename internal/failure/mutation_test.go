package failure

import (
	"slices"
	"testing"

	"imagebreaker/internal/record"
)

// without returns a table that lacks its i-th entry.
func without[T any](table []T, i int) []T { return slices.Delete(slices.Clone(table), i, i+1) }

// mutant is an engine that lacks one rule.
type mutant struct {
	table, rule string
	engine      *engine
}

func lacking[T any](kind string, table []T, name func(T) string, set func(*engine, []T)) []mutant {
	var out []mutant
	for i, entry := range table {
		e := *standard()
		set(&e, without(table, i))
		out = append(out, mutant{kind, name(entry), &e})
	}
	return out
}

// mutants are all engines that lack one rule of one table.
func mutants() []mutant {
	text := func(r rule) string { return r.name }
	code := func(r codeRule) string { return r.name }
	word := func(e echo) string { return e.name }
	number := func(w wrapped) string { return w.name }
	s := standard()
	return slices.Concat(
		lacking("trailer", s.trailers, word, func(e *engine, t []echo) { e.trailers = t }),
		lacking("echo", s.echoes, word, func(e *engine, t []echo) { e.echoes = t }),
		lacking("expected value", s.expectedValues, word, func(e *engine, t []echo) { e.expectedValues = t }),
		lacking("own status", s.ownStatuses, word, func(e *engine, t []echo) { e.ownStatuses = t }),
		lacking("veto", s.vetoes, text, func(e *engine, t []rule) { e.vetoes = t }),
		lacking("network", s.network, text, func(e *engine, t []rule) { e.network = t }),
		lacking("wording", s.wording, text, func(e *engine, t []rule) { e.wording = t }),
		lacking("ambiguous", s.ambiguous, text, func(e *engine, t []rule) { e.ambiguous = t }),
		lacking("status", s.statuses, number, func(e *engine, t []wrapped) { e.statuses = t }),
		lacking("fallback status", s.fallbackStatuses, number, func(e *engine, t []wrapped) { e.fallbackStatuses = t }),
		lacking("overriding code", s.overriding, code, func(e *engine, t []codeRule) { e.overriding = t }),
		lacking("code", s.codes, code, func(e *engine, t []codeRule) { e.codes = t }),
		lacking("opaque code", s.opaqueCodes, code, func(e *engine, t []codeRule) { e.opaqueCodes = t }),
		lacking("param", s.params, func(r paramRule) string { return r.name }, func(e *engine, t []paramRule) { e.params = t }),
		lacking("pointer", s.pointers, func(r pointerRule) string { return r.name }, func(e *engine, t []pointerRule) { e.pointers = t }),
		lacking("status rule", s.statusRules, func(r statusRule) string { return r.name }, func(e *engine, t []statusRule) { e.statusRules = t }),
	)
}

// allCases are the answers of every table and corpus, the short tables first.
func allCases(t *testing.T) []Answer {
	var out []Answer
	add := func(body string, status int) { out = append(out, Answer{Status: status, Body: []byte(body)}) }
	for _, c := range echoed {
		add(`{"error":{"message":`+quoteJSON(c.message)+`}}`, 400)
	}
	for _, s := range slices.Concat(hits, others) {
		add(`{"error":{"message":`+quoteJSON(s.message)+`}}`, 400)
	}
	for _, s := range spellings {
		add(`{"error":{"message":`+quoteJSON(s.with(404, mediaURLs[0]).message)+`}}`, 500)
	}
	for _, c := range coded {
		add(c.body, 400)
	}
	for _, c := range statusOnly {
		add("", c.status)
	}
	for _, p := range pointed {
		add(p.body, 400)
	}
	for _, name := range []string{"upstream-errors.jsonl", "more-errors.jsonl"} {
		for _, r := range readRows(t, name) {
			out = append(out, r.answer())
		}
	}
	return out
}

// outcome is what a missing rule would change.
type outcome struct {
	verdict        record.Verdict
	reason         record.Reason
	pointsAt, rule string
}

func (e *engine) outcome(a Answer) outcome {
	j := e.judge(a)
	return outcome{j.Verdict, j.Reason, j.PointsAt, j.Rule}
}

// Every rule is needed: without it some case is judged otherwise. A rule that
// could go unnoticed is one that nobody would miss.
func TestEveryRuleCounts(t *testing.T) {
	if raceDetector {
		t.Skip("one goroutine and much work: there is no race to find")
	}
	t.Parallel()
	cases := allCases(t)
	right := make([]outcome, len(cases))
	byRule := map[string][]int{} // the cases that a rule decides are tried first
	for i, a := range cases {
		right[i] = standard().outcome(a)
		byRule[right[i].rule] = append(byRule[right[i].rule], i)
	}
	all := mutants()
	for _, m := range all {
		needed := func(i int) bool {
			o := m.engine.outcome(cases[i])
			return o.verdict != right[i].verdict || o.reason != right[i].reason || o.pointsAt != right[i].pointsAt
		}
		if slices.ContainsFunc(byRule[m.rule], needed) {
			continue
		}
		every := make([]int, len(cases))
		for i := range every {
			every[i] = i
		}
		if !slices.ContainsFunc(every, needed) {
			t.Errorf("%s %s: no case needs it", m.table, m.rule)
		}
	}
	t.Logf("%d rules left out, one by one, against %d cases", len(all), len(cases))
}
