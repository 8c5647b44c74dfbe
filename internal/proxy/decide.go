package proxy

import (
	"net/http"

	"imagebreaker/internal/policy"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/reply"
)

// decide makes the plan for a request: to send it while it is still being received, to
// answer it, or to send it when it is known what it carries, with placeholders or
// without. The request has its lease then, if it needs one.
func (p *Proxy) decide(x *exchange, r *request, in *inbound, found *inspection) (next plan) {
	ok := p.guard("decide", func() {
		if l := p.leaseEarly(r, in); l != nil {
			x.attempt(record.Attempt{}, l)
			next.early = true
			return
		}
		s := found.wait(0)
		if s.err != nil {
			x.discard()
			panic(http.ErrAbortHandler)
		}
		x.inspected(s)
		if !s.inspected() {
			x.attempt(record.Attempt{}, nil)
			return
		}
		next = p.choose(x, s)
	})
	if !ok { // as it came; without a lease it proves nothing
		x.attempt(record.Attempt{}, nil)
		return plan{}
	}
	return next
}

// leaseEarly leases a request that may go up while it is received, before it is known
// what it carries: when nothing is remembered that it could have to do with, whatever
// that is. Nil for any other.
func (p *Proxy) leaseEarly(r *request, in *inbound) *lease {
	// Who asks whether to go on with the body has to get the answer first.
	if in.hasher == nil || p.Preflight || !p.Substitutions.Empty() || r.Header.Get("Expect") != "" {
		return nil
	}
	return p.breaker.AcquireUnseen(protocol.HeaderSession(r.Header))
}

// maxChoices bounds how often a plan is made anew because another request has taken
// what it needed.
const maxChoices = 4

// choose makes the plan for an inspected request and seals it.
func (p *Proxy) choose(x *exchange, s *subject) plan {
	p.preflight(s)
	for range maxChoices {
		d := p.breaker.Peek(s.carried(nil))
		next := p.planFor(s, d)
		if p.seal(x, s, d, next) {
			return next
		}
	}
	x.attempt(record.Attempt{}, nil) // without a lease it proves nothing
	return plan{}
}

// planFor is the plan that suits what the breaker says. It changes nothing.
func (p *Proxy) planFor(s *subject, d decision) plan {
	switch {
	case p.Mode != policy.On:
		return plan{}
	case len(d.Open) > 0:
		return p.planRejected(s, d.Open)
	case !policy.Sticky(p.Reply, s.request):
		return plan{}
	}
	// A later turn is no probe for an entry whose cool-off has run out: a person
	// needs longer than that for the next message, and it would fail like the one
	// before.
	if len(d.HalfOpen) > 0 && !repeats(s, d.HalfOpen) {
		if next, ok := p.substitute(s, d.HalfOpen); ok {
			return next
		}
	}
	// What was replaced in this session before stays replaced, without a probe.
	next, _ := p.splice(s, p.sticky(s))
	return next
}

// planRejected is the plan for a request that entries reject.
func (p *Proxy) planRejected(s *subject, open []entry) plan {
	if policy.Choose(p.Reply, s.request, repeats(s, open)) == policy.Substitute {
		if next, ok := p.substitute(s, open); ok {
			return next
		}
	}
	r := reply.Rejection{API: s.api, Request: s.request, Image: reply.PrimaryImage(open[0], s.images), Entry: open[0], Address: p.Address, Time: p.Now()}
	return plan{answer: new(r.Write(policy.Answer(p.Reply, s.request)))}
}

// seal makes a plan final: the request gets its lease, or the entries that reject it
// count it. It returns false if another request was quicker, so that the plan does not
// hold any more.
func (p *Proxy) seal(x *exchange, s *subject, d decision, next plan) bool {
	dryRun := p.Mode != policy.On && len(d.Open) > 0
	if next.answer != nil || dryRun {
		rejected := p.breaker.Reject(d.Open, true)
		// In dry-run its failure is what rejecting it would have spared: without a
		// lease it records nothing, so that the entry ages as it would have.
		x.attempt(record.Attempt{Rejected: new(recordOf(rejected[0]))}, nil)
		return true
	}
	l, _ := p.breaker.Acquire(s.carried(next.placeholders))
	if l == nil {
		return false
	}
	p.breaker.Reject(d.Open, false)
	p.dispatch(x, s, next, l)
	return true
}

// inspected notes what a request was found to be.
func (x *exchange) inspected(s *subject) {
	x.note(func(facts *record.Exchange) {
		facts.Bypass = s.bypass
		if q := s.request; q != nil {
			facts.Request = &record.Request{Model: q.Model, Session: q.Session, Stream: q.Stream != "", Media: len(q.Images)}
		}
	})
}
