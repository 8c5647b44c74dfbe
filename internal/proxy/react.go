package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/reply"
)

// react makes the plan for what came back: to pass it on, as it is or changed, or to
// send the request again. A failure is recorded by then.
func (p *Proxy) react(x *exchange, s *sent, f finding) plan {
	next := plan{relay: s}
	if f.judged {
		p.guard("react", func() { next = p.reactTo(x, s, f) })
	}
	return next
}

func (p *Proxy) reactTo(x *exchange, s *sent, f finding) plan {
	failed, recorded := x.fail(s.subject, f.judgement, f.attribution)
	if !recorded {
		return plan{relay: s}
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
		p.downgrade(x, s, f, path, failed)
	case policy.Annotate:
		annotate(x, s, f, path, failed)
	}
	return plan{relay: s}
}

// downgrade makes a 400 of a 5xx that is the fault of the request: every
// client retries a 5xx, and it would be the same work for the same end.
func (p *Proxy) downgrade(x *exchange, s *sent, f finding, path string, failed entry) {
	resp, status := s.response, p.DowngradeStatus
	resp.StatusCode, resp.Status = status, ""
	h := resp.Header
	h.Del("Retry-After")
	h.Set("X-Should-Retry", "false")
	h.Set("Content-Type", "application/json")
	protocol.SetErrorHeader(h, s.subject.api, status)
	j := f.judgement
	replaceBody(resp, s.subject.api.Error(protocol.Error{
		Status: status, Message: path + reply.Message(failure.Sanitize(j.Message), j.Reason), Code: failure.Slug(j.Code),
	}))
	reply.Mark(h, record.ActionDowngraded, failed.Info.Reason, failed.Signature.String())
	x.noteAttempt(func(at *record.Attempt) { at.ClientStatus, at.Reply = status, record.ReplyDowngraded })
}

// annotate puts the path before the message of the upstream's own error.
func annotate(x *exchange, s *sent, f finding, path string, failed entry) {
	if path == "" {
		return
	}
	resp := s.response
	plain, err := bodyio.Inflate(bodyio.EncodingOf(resp.Header), f.body, aheadOfClientError)
	if err != nil {
		return
	}
	annotated, ok := protocol.PrefixMessage(plain, path)
	if !ok {
		return
	}
	replaceBody(resp, annotated)
	reply.Mark(resp.Header, record.ActionAnnotated, failed.Info.Reason, failed.Signature.String())
	x.noteAttempt(func(at *record.Attempt) { at.Reply = record.ReplyAnnotated })
}

// replaceBody puts another body into an answer.
func replaceBody(resp *http.Response, body []byte) {
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Trailer, resp.TransferEncoding = nil, nil
	for _, name := range []string{"Content-Encoding", "Transfer-Encoding", "Trailer", "Etag", "Content-Md5", "Digest", "Content-Digest"} {
		resp.Header.Del(name) // they speak of the upstream's bytes
	}
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
}
