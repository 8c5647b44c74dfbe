package failure

import (
	"slices"
	"sync"

	"imagebreaker/internal/record"
)

// engine is the set of tables that a judgement is made with. Tests leave single
// rules out of it.
type engine struct {
	user Rules
	// what is cut out of a message before it is judged
	trailers, echoes, expectedValues, ownStatuses []echo
	// messages
	vetoes, network, wording, ambiguous []rule
	statuses, fallbackStatuses          []wrapped
	// codes and statuses beside them
	overriding, codes, opaqueCodes []codeRule
	params                         []paramRule
	statusRules                    []statusRule
	pointers                       []pointerRule
}

// standard has all the rules. They are compiled when the first answer is judged
// (30 ms): most commands judge none.
var standard = sync.OnceValue(newEngine)

func newEngine() *engine {
	return &engine{
		trailers: trailers(), echoes: echoes(), expectedValues: expectedValues(), ownStatuses: ownStatuses(),
		vetoes: vetoes(), network: network(), wording: wordings(), ambiguous: ambiguous(),
		statuses: statuses(), fallbackStatuses: fallbackStatuses(),
		overriding: overriding(), codes: codes(), opaqueCodes: opaqueCodes(),
		params: params(), statusRules: statusRules(),
		pointers: pointers(),
	}
}

// decision is what one stage found.
type decision struct {
	verdict record.Verdict
	reason  record.Reason
	rule    string
}

func (r rule) decision() decision { return decision{r.verdict, r.reason, r.name} }

func (r codeRule) decision() decision { return decision{r.verdict, r.reason, r.name} }

// decide judges a subject, by the user's rules first. What looks like the media's
// fault, but is not certain to be, is nobody's when the status speaks of a trouble
// that passes; a user who wants that names the statuses.
func (e *engine) decide(s subject) decision {
	if d, ok := e.user.decide(s); ok {
		return d
	}
	d := e.stages(s)
	if d.verdict == record.Suspect && slices.Contains(passing, s.state()) {
		return e.fallback(s)
	}
	return d
}

// passing are the statuses that ask for patience.
var passing = []int{408, 425, 429, 502, 503, 504, 529}

// stages runs the stages in their order.
func (e *engine) stages(s subject) decision {
	status, wrapped := e.hostStatus(s, s.text)
	if d, ok := e.veto(s, wrapped && status.media); ok {
		return d
	}
	if r, ok := firstCode(e.overriding, s.codes); ok {
		return r.decision()
	}
	for _, text := range []string{s.text, s.outer} {
		if d, ok := e.judgeText(s, text); ok {
			return d
		}
	}
	if r, ok := firstCode(e.codes, s.codes); ok {
		return r.decision()
	}
	if r, ok := firstParam(e.params, s); ok {
		return r.decision()
	}
	if r, ok := firstRule(e.ambiguous, s.text); ok {
		return r.decision()
	}
	if r, ok := firstCode(e.opaqueCodes, s.codes); ok {
		return r.decision()
	}
	return e.fallback(s)
}

// judgeText judges one text by what it says: how a fetch of media ended, then the
// wordings, then how a fetch of something else ended.
func (e *engine) judgeText(s subject, text string) (decision, bool) {
	status, wrapped := e.hostStatus(s, text)
	if wrapped && status.media {
		return status.decision(), true
	}
	if r, ok := firstRule(e.network, text); ok {
		return r.decision(), true
	}
	if r, ok := firstRule(e.wording, text); ok {
		return r.decision(), true
	}
	if last, ok := e.fallbackStatus(text); ok {
		return last.decision(), true
	}
	return status.decision(), wrapped && status.firm
}

// fallback knows the status alone.
func (e *engine) fallback(s subject) decision {
	for _, r := range e.statusRules {
		if n := s.state(); n >= r.low && n <= r.high {
			return decision{record.None, r.reason, r.name}
		}
	}
	return decision{record.None, record.Schema, "unknown"}
}

// veto looks for a fault that is not the media's. A soft one does not stand
// against a media host's own status.
func (e *engine) veto(s subject, fetched bool) (decision, bool) {
	all := s.all()
	for _, r := range e.vetoes {
		if !(r.soft && fetched) && r.in(all) {
			return r.decision(), true
		}
	}
	return decision{}, false
}
