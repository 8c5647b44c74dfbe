package proxy

import (
	"fmt"

	"imagebreaker/internal/record"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/reply"
)

// relay passes on what came back, or that nothing did.
func (p *Proxy) relay(x *exchange, w *relay.Writer, next plan) {
	s := next.relay
	if s.err != nil {
		a := p.unreachable(x.r.Request, x.r.api, x.r.upstream, s.err)
		x.noteAttempt(func(at *record.Attempt) { at.Error, at.ClientStatus = record.Network, a.Status })
		x.commit()
		a.WriteTo(w)
		return
	}
	p.markSubstituted(s)
	if !s.observed {
		x.commit()
	}
	relay.Answer(w, s.response)
}

// markSubstituted says in an answer that the request went without images.
func (p *Proxy) markSubstituted(s *sent) {
	h := s.response.Header
	left := s.plan.placeholders.Placeholders(s.subject.images)
	if len(left) == 0 || h.Get("X-Imagebreaker") != "" {
		return
	}
	reply.Mark(h, record.ActionSubstituted, left[0].Reason, left[0].Signature)
	for _, l := range left {
		if l.Unsure {
			h.Set("X-Imagebreaker-Replaced", fmt.Sprintf("%d images, since the upstream did not say which one it meant", len(left)))
		}
	}
}

// reply gives the answer in the upstream's place.
func (p *Proxy) reply(x *exchange, w *relay.Writer, next plan) {
	x.noteAttempt(func(at *record.Attempt) { at.Reply, at.ClientStatus = next.answer.Form, next.answer.Status })
	x.commit()
	next.answer.WriteTo(w)
}
