package proxy

import (
	"fmt"
	"net/http"
	"slices"

	"imagebreaker/internal/record"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/reply"
)

// relay passes on what came back.
func (p *Proxy) relay(x *exchange, w *relay.Writer, s *sent, f finding) {
	markSubstituted(w.Header(), s)
	if !f.late {
		x.commit()
	}
	relay.Answer(w, s.response, f.body)
}

// markSubstituted says in an answer that the request went without images, unless the
// upstream, which may be of our own kind, says something of that sort itself.
func markSubstituted(h http.Header, s *sent) {
	gone := s.plan.placeholders.Placeholders(s.subject.images)
	if len(gone) == 0 || s.response.Header.Get("X-Imagebreaker") != "" {
		return
	}
	reply.Mark(h, record.ActionSubstituted, gone[0].Reason, gone[0].Signature)
	if slices.ContainsFunc(gone, func(g record.Placeholder) bool { return g.Unsure }) {
		h.Set("X-Imagebreaker-Replaced", fmt.Sprintf("%d images, since the upstream did not say which one it meant", len(gone)))
	}
}

// reply gives the answer in the upstream's place.
func (p *Proxy) reply(x *exchange, w *relay.Writer, next plan) {
	x.noteAttempt(func(at *record.Attempt) { at.Reply, at.ClientStatus = next.answer.Form, next.answer.Status })
	x.commit()
	next.answer.WriteTo(w)
}
