package proxy

import (
	"bytes"
	"io"
	"net/http"

	"imagebreaker/internal/attribution"
	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

// How far an error is read ahead before the client gets it. Only a 5xx may
// have to be changed as a whole, and some engines echo the request in it.
const (
	aheadOfClientError = 1 << 20
	aheadOfServerError = 32 << 20
)

// judge looks at an answer: an error is read and judged before the client has it, so
// that what it says of an image is remembered when the client tries again. What comes
// after a good beginning is observed while it passes.
func (p *Proxy) judge(x *exchange, s *sent) finding {
	if s.err != nil {
		return finding{}
	}
	resp := s.response
	f := finding{body: resp.Body}
	x.noteAttempt(func(at *record.Attempt) {
		at.Status, at.ClientStatus, at.RequestID = resp.StatusCode, resp.StatusCode, protocol.RequestID(resp.Header)
		if resp.StatusCode >= http.StatusBadRequest {
			at.Error = record.HTTPError(resp.StatusCode)
		}
	})
	if !s.subject.inspected() {
		return f
	}
	p.guard("judge", func() {
		switch status := resp.StatusCode; {
		case status >= http.StatusBadRequest && len(s.plan.placeholders.Kept(s.subject.images)) > 0:
			f = p.judgeError(x, s)
		case status >= 200 && status < 300:
			f.body, f.late = p.observe(x, s), true
		}
	})
	return f
}

// judgeError judges an error that comes within the bounds of size and time. Any other
// is judged when the client has had it.
func (p *Proxy) judgeError(x *exchange, s *sent) finding {
	most := aheadOfClientError
	if s.response.StatusCode >= http.StatusInternalServerError {
		most = aheadOfServerError
	}
	ahead := bodyio.NewReadAhead(s.response.Body, most)
	read, whole := ahead.Whole(p.ErrorWait)
	if !whole {
		return finding{body: p.judgeLate(x, s, ahead), late: true}
	}
	f := finding{body: ahead, judged: true, judgement: p.Rules.Judge(answerOf(s.response, read)), read: read}
	f.attribution = p.attribute(x, s, f.judgement)
	return f
}

// attribute finds out what a failure is to be put down to. What has no lease records
// nothing.
func (p *Proxy) attribute(x *exchange, s *sent, j failure.Judgement) attribution.Attribution {
	if j.Verdict == record.None || x.lease == nil {
		return attribution.Attribution{}
	}
	return attribution.Find(attribution.Evidence{
		Judgement: j, Images: s.plan.placeholders.Kept(s.subject.images), API: s.subject.api,
		Unverified: func(items [][32]byte) [][32]byte {
			return p.breaker.Unverified(s.subject.request.Session, items)
		},
	})
}

// answerOf is an error answer as the judge wants it, of its body as it came.
func answerOf(resp *http.Response, body []byte) failure.Answer {
	var kept bodyio.HeadTail
	if r, err := bodyio.Decoded(bodyio.EncodingOf(resp.Header), bytes.NewReader(body)); err == nil {
		// Part of a damaged body is better than none.
		_, _ = io.Copy(&kept, io.LimitReader(r, maxInflatedError))
	}
	return decodedAnswer(resp, kept.Bytes())
}

// decodedAnswer is an error answer with a body that has no encoding.
func decodedAnswer(resp *http.Response, body []byte) failure.Answer {
	return failure.Answer{
		Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"),
		ErrorType: protocol.ErrorType(resp.Header), Body: body,
	}
}

const (
	maxInflatedError = 64 << 20 // bounds the work on a compressed error
	maxLateError     = 8 << 20  // bounds what is kept of a compressed one that is judged late
)

// judgeLate judges an error that is too large or too slow to be read ahead, when the
// client has had it.
func (p *Proxy) judgeLate(x *exchange, s *sent, body io.ReadCloser) io.ReadCloser {
	late := &lateError{response: s.response, judge: func(a failure.Answer) {
		p.guard("judge", func() {
			j := p.Rules.Judge(a)
			x.fail(s.subject, j, p.attribute(x, s, j))
		})
	}}
	return bodyio.Observe(body, late, func() {})
}

// lateError observes an error for the judge.
type lateError struct {
	response *http.Response
	judge    func(failure.Answer)
	kept     bodyio.HeadTail
	encoded  []byte // where there is an encoding
}

func (l *lateError) Feed(p []byte) {
	if bodyio.EncodingOf(l.response.Header) == "" {
		l.kept.Write(p)
		return
	}
	l.encoded = append(l.encoded, p[:min(len(p), maxLateError-len(l.encoded))]...)
}

func (l *lateError) End(clean bool) {
	switch {
	case !clean:
	case l.encoded == nil:
		l.judge(decodedAnswer(l.response, l.kept.Bytes()))
	default:
		l.judge(answerOf(l.response, l.encoded))
	}
}
