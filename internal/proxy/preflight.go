package proxy

import (
	"imagebreaker/breaker"
	"imagebreaker/internal/attribution"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/reply"
)

// preflight records a failure for the first new image that no API could take, as if it
// had been uploaded and refused. An image that is being probed, or that somebody wants
// tried, goes up.
func (p *Proxy) preflight(s *subject) {
	if !p.Preflight {
		return
	}
	if d := p.breaker.Peek(s.carried(nil)); len(d.Open) > 0 || len(d.HalfOpen) > 0 {
		return
	}
	for _, im := range attribution.Newest(p.unverified(s)) {
		reason, what := attribution.Undecodable(s.api, im)
		if reason == "" || p.exemptions.Contains(exemption{s.request.Session, im.Sum}) {
			continue
		}
		if l, _ := p.breaker.Acquire(s.carried(nil)); l != nil {
			l.Fail(preflightFailure(s, im, reason, what))
		}
		return
	}
}

// unverified are the images that have not been seen to go well in the session.
func (p *Proxy) unverified(s *subject) []*protocol.Image {
	left := map[[32]byte]bool{}
	for _, it := range p.breaker.Unverified(s.request.Session, s.request.Items()) {
		left[it] = true
	}
	var out []*protocol.Image
	for _, im := range s.images {
		if left[im.Sum] {
			out = append(out, im)
		}
	}
	return out
}

// preflightFailure is the failure of an image that was never uploaded.
func preflightFailure(s *subject, im *protocol.Image, reason record.Reason, what string) breaker.Failure[record.FailureInfo] {
	return breaker.Failure[record.FailureInfo]{
		Items: [][32]byte{im.Sum},
		Info: record.FailureInfo{
			Protocol: s.api.Name(), Model: s.request.Model, Reason: reason, Image: reply.Describe(im), Limit: -1, Preflight: true,
			Message:      failure.Sanitize("Could not process image: it is " + what),
			Conversation: s.request.Conversation(),
		},
	}
}

// exempt takes note of entries that were forgotten on demand.
func (p *Proxy) exempt(forgotten []entry) {
	for _, e := range forgotten {
		for _, it := range e.Items {
			if e.Info.Preflight {
				p.exemptions.Add(exemption{e.Session, it}, struct{}{})
			}
		}
	}
}
