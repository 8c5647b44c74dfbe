package proxy

import (
	"net/http"
	"strconv"

	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/reply"
)

// react makes the plan for what came back: to pass it on, to give a better answer in
// its place, or to send the request again. A failure is recorded by then.
func (p *Proxy) react(x *exchange, s *sent, f finding) plan {
	next := plan{relay: true}
	switch {
	case s.err != nil:
		next = plan{answer: new(p.unreachable(x.r.Request, x.r.api, x.r.upstream, s.err))}
		x.noteAttempt(func(at *record.Attempt) { at.Error = record.Network })
	case f.judged:
		p.guard("react", func() { next = p.reactTo(x, s, f) })
	}
	return next
}

func (p *Proxy) reactTo(x *exchange, s *sent, f finding) plan {
	failed, recorded := x.fail(s.subject, f.judgement, f.attribution)
	if !recorded {
		return plan{relay: true}
	}
	reaction := policy.React(p.Mode, p.Reply, s.response.StatusCode, s.plan.resends < maxResends)
	if reaction == policy.Resend {
		if next, ok := p.resend(x, s, failed); ok {
			return next
		}
		reaction = policy.React(p.Mode, p.Reply, s.response.StatusCode, false)
	}
	path := policy.Path(s.subject.request, f.attribution, f.judgement.Message)
	switch reaction {
	case policy.Downgrade:
		f.body.Close()
		return plan{answer: new(p.downgrade(s, f, path, failed))}
	case policy.Annotate:
		if a, ok := annotate(s, f, path, failed); ok {
			f.body.Close()
			return plan{answer: &a}
		}
	}
	return plan{relay: true}
}

// downgrade makes a 400 of a 5xx that is the fault of the request: every client
// retries a 5xx, and it would be the same work for the same end.
func (p *Proxy) downgrade(s *sent, f finding, path string, failed entry) reply.Answer {
	api, status, j := s.subject.api, p.DowngradeStatus, f.judgement
	a := inPlaceOf(s.response, api.Error(protocol.Error{
		Status: status, Message: path + reply.Message(failure.Sanitize(j.Message), j.Reason), Code: failure.Slug(j.Code),
	}))
	a.Status, a.Form = status, record.ReplyDowngraded
	a.Header.Del("Retry-After")
	a.Header.Set("X-Should-Retry", "false")
	a.Header.Set("Content-Type", "application/json")
	protocol.SetErrorHeader(a.Header, api, status)
	reply.Mark(a.Header, record.ActionDowngraded, failed.Info.Reason, failed.Signature.String())
	return a
}

// annotate puts the path before the message of the upstream's own error. It returns
// false if there is no path, or no message.
func annotate(s *sent, f finding, path string, failed entry) (a reply.Answer, ok bool) {
	if path == "" {
		return a, false
	}
	plain, err := bodyio.Inflate(bodyio.EncodingOf(s.response.Header), f.read, aheadOfClientError)
	if err != nil {
		return a, false
	}
	annotated, ok := protocol.PrefixMessage(plain, path)
	if !ok {
		return a, false
	}
	a = inPlaceOf(s.response, annotated)
	a.Form = record.ReplyAnnotated
	reply.Mark(a.Header, record.ActionAnnotated, failed.Info.Reason, failed.Signature.String())
	return a, true
}

// inPlaceOf is an upstream's answer with another body.
func inPlaceOf(resp *http.Response, body []byte) reply.Answer {
	h := resp.Header.Clone()
	for _, name := range []string{"Content-Encoding", "Transfer-Encoding", "Trailer", "Etag", "Content-Md5", "Digest", "Content-Digest"} {
		h.Del(name) // they speak of the upstream's bytes
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	return reply.Answer{Status: resp.StatusCode, Header: h, Body: body}
}
