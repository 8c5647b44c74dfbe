package proxy

import (
	"maps"

	"imagebreaker/internal/policy"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/substitution"
)

// substitute is the plan to send the request without what the entries are about. It
// returns false if that cannot be done. Nothing changes by it.
func (p *Proxy) substitute(s *subject, entries []entry) (plan, bool) {
	set := placeholders{}
	if policy.Sticky(p.Reply, s.request) {
		set = p.sticky(s)
	}
	for _, e := range entries {
		if !set.Add(e, s.images) {
			return plan{}, false
		}
	}
	return p.splice(s, set)
}

// splice is the plan to send the request with placeholders for a set. It returns false
// if one cannot be put in, if the body is signed, or if the rest is rejected as well.
func (p *Proxy) splice(s *subject, set placeholders) (plan, bool) {
	if len(set) == 0 || protocol.Signed(s.header) {
		return plan{}, false
	}
	body, ok := substitution.Splice(s.api, s.images, s.body, set)
	if !ok || len(p.breaker.Peek(s.carried(set)).Open) > 0 {
		return plan{}, false
	}
	return plan{body: body, placeholders: set}, true
}

// sticky are the images of the request that are replaced in its session.
func (p *Proxy) sticky(s *subject) placeholders {
	return p.Substitutions.Sticky(s.request, s.scope, func(items [][32]byte) [][32]byte {
		return p.breaker.Unverified(s.request.Session, items)
	})
}

// stick remembers what is replaced in the session, wherever it is to stay so.
func (p *Proxy) stick(s *subject, set placeholders) {
	if len(set) > 0 && policy.Sticky(p.Reply, s.request) && s.request.Kind != protocol.Count {
		p.Substitutions.Stick(s.request, s.scope, set)
	}
}

// maxResends is how often one request is sent again for yet another bad image.
const maxResends = 8

// resend is the plan to send a request again without what its failure, which has just
// been recorded, is about. It returns false if that cannot be done.
func (p *Proxy) resend(x *exchange, s *sent, failed entry) (plan, bool) {
	set := placeholders{}
	maps.Copy(set, s.plan.placeholders)
	if !set.Add(failed, s.plan.placeholders.Kept(s.subject.images)) {
		return plan{}, false
	}
	next, ok := p.splice(s.subject, set)
	if !ok {
		return plan{}, false
	}
	l, _ := p.breaker.Acquire(s.subject.carried(set))
	if l == nil {
		return plan{}, false
	}
	s.response.Body.Close()
	// The failure is one event, what comes of sending it again another. What the
	// client gets is not known yet.
	x.noteAttempt(func(at *record.Attempt) { at.Reply, at.ClientStatus = record.ReplySubstituted, 0 })
	x.commit()
	next.resends = s.plan.resends + 1
	p.dispatch(x, s.subject, next, l)
	return next, true
}

// dispatch starts the attempt to send a request by a plan.
func (p *Proxy) dispatch(x *exchange, s *subject, next plan, l *lease) {
	p.stick(s, next.placeholders)
	x.attempt(record.Attempt{Placeholders: next.placeholders.Placeholders(s.images)}, l)
}
