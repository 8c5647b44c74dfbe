package failure

import (
	"regexp"
	"slices"
)

// Rules are a user's own rules, tried in their order before the built-in ones:
// the first that holds decides, whatever a built-in rule would have said. The
// zero value (nil) has none. Rules do not change and may be used by several
// goroutines at once. ParseRules reads them.
//
// A rule sees the words that the built-in ones see: the innermost message, and
// then, each by itself, what relays wrote around it. The client's own words that
// an upstream echoes are cut, and so are lists of what would have been right. An
// address is "<url>", white space is one space, and a message is at most 6 KiB
// long, with "…" in the middle of a longer one. Letter case and punctuation are
// the upstream's own. A rule is never asked about an answer without words, a web
// page, or anything that is no error.
type Rules []userRule

type userRule struct {
	statuses []statusRange // none: any
	match    *regexp.Regexp
	decision decision
}

// statusRange is a range of HTTP statuses, both ends included.
type statusRange struct{ low, high int }

// Judge judges as the function Judge does, but asks the user's rules first.
func (r Rules) Judge(a Answer) Judgement {
	e := r.engine()
	return e.judge(a)
}

// JudgeEvent judges as the function JudgeEvent does, but asks the user's rules
// first. An event that is no error frame stays none: no rule is asked about it.
func (r Rules) JudgeEvent(name string, data []byte) (Judgement, bool) {
	e := r.engine()
	return e.event(name, data, 200)
}

func (r Rules) engine() engine {
	e := *standard()
	e.user = r
	return e
}

// decide returns what the first rule that holds says.
func (r Rules) decide(s subject) (decision, bool) {
	i := slices.IndexFunc(r, func(u userRule) bool { return u.holds(s) })
	if i < 0 {
		return decision{}, false
	}
	return r[i].decision, true
}

func (u userRule) holds(s subject) bool {
	return u.takes(s.status) && slices.ContainsFunc(s.spoken, func(text string) bool {
		return text != "" && u.match.MatchString(text)
	})
}

func (u userRule) takes(status int) bool {
	return len(u.statuses) == 0 || slices.ContainsFunc(u.statuses, func(s statusRange) bool {
		return status >= s.low && status <= s.high
	})
}
