package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
)

// How far an error is read ahead before the client gets it. Only a 5xx may
// have to be changed as a whole, and some engines echo the request in it.
const (
	aheadOfClientError = 1 << 20
	aheadOfServerError = 32 << 20
)

// refused handles an error answer to a request with images: judge it, remember
// it if it is for good, and only then let the client have it, or send the
// request again without what is to blame.
func (x *exchange) refused(resp *http.Response, mayRepair bool) (_ *http.Response, again bool) {
	x.outcome.errorKind = httpKind(resp.StatusCode)
	ahead := aheadOfClientError
	if resp.StatusCode >= 500 {
		ahead = aheadOfServerError
	}
	s := newSpool(resp.Body, ahead)
	resp.Body = s
	body, ok := s.whole(x.p.ErrorWait)
	if !ok {
		resp.Body = x.judgeLate(resp, s)
		return resp, false
	}
	x.safely("judge", func() {
		j := x.p.Rules.Judge(answerOf(resp, body))
		b, recorded := x.fail(j)
		switch {
		case !recorded || x.p.Mode != On:
		case x.p.Reply == Repair && mayRepair && x.repairFailed():
			again = true
		case resp.StatusCode >= 500:
			x.downgrade(resp, j, x.pathFor(b, j))
		default:
			x.point(resp, body, x.pathFor(b, j))
		}
	})
	if again {
		s.Close()
		return nil, true
	}
	x.abandon() // if it is no failure of an image
	x.log()     // all before the client can come back
	return resp, false
}

// answerOf is an error answer as the judge wants it, of its body as it came.
func answerOf(resp *http.Response, body []byte) failure.Answer {
	var c capture
	if r, err := decoded(encodingOf(resp.Header), bytes.NewReader(body)); err == nil {
		// Part of a damaged body is better than none.
		_, _ = io.Copy(&c, io.LimitReader(r, maxInflatedError))
	}
	return answerWith(resp, c.bytes())
}

// answerWith is an error answer with a plain body.
func answerWith(resp *http.Response, plain []byte) failure.Answer {
	return failure.Answer{
		Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"),
		ErrorType: protocol.ErrorType(resp.Header), Body: plain,
	}
}

const (
	maxInflatedError = 64 << 20 // bounds the work on a compressed error
	maxLateError     = 8 << 20  // bounds what is kept of a compressed one that is judged late
)

// judgeLate judges an error that is too large or too slow to be read ahead,
// when the client has had it.
func (x *exchange) judgeLate(resp *http.Response, body io.ReadCloser) io.ReadCloser {
	var plain capture
	var packed []byte
	feed := func(p []byte) { plain.Write(p) }
	answer := func() failure.Answer { return answerWith(resp, plain.bytes()) }
	if encodingOf(resp.Header) != "" {
		feed = func(p []byte) { packed = append(packed, p[:min(len(p), maxLateError-len(packed))]...) }
		answer = func() failure.Answer { return answerOf(resp, packed) }
	}
	return &tapped{ReadCloser: body, feed: feed, end: func(clean bool) {
		if clean {
			x.safely("judge", func() { x.fail(x.p.Rules.Judge(answer())) })
		}
	}}
}

// downgrade makes a 400 of a 5xx that is the fault of the request: every
// client retries a 5xx, and it would be the same work for the same end.
func (x *exchange) downgrade(resp *http.Response, j failure.Judgement, path string) {
	status := x.p.DowngradeStatus
	resp.StatusCode, resp.Status = status, ""
	h := resp.Header
	h.Del("Retry-After")
	h.Set("X-Should-Retry", "false")
	h.Set("Content-Type", "application/json")
	protocol.SetErrorHeader(h, x.api, status)
	x.replaceBody(resp, x.api.Error(protocol.Error{Status: status, Message: path + orSilent(failure.Sanitize(j.Message), j.Reason), Code: codeOf(j.Code)}))
	mark(h, "downgraded", x.outcome.failed.Info.reason, x.outcome.failed.Signature.String())
	x.outcome.clientStatus, x.outcome.reply = status, "downgraded"
}

// pathFor is what an error has to begin with so that the client removes the
// culprit and nothing else; empty if the client does no such thing, the error
// says it anyway, or the culprit is not certain. Without a path Claude Code
// throws away every image of the message (measured).
func (x *exchange) pathFor(b blame, j failure.Judgement) string {
	if !x.req.SelfRepair || !b.certain || b.whole || b.culprits[0].Path == "" || protocol.NamesBlock(j.Message) {
		return ""
	}
	return b.culprits[0].Path + ": "
}

// point puts the path before the message of the upstream's own error.
func (x *exchange) point(resp *http.Response, body []byte, path string) {
	if path == "" {
		return
	}
	plain, err := inflate(encodingOf(resp.Header), body, aheadOfClientError)
	if err != nil {
		return
	}
	pointed, ok := protocol.PrefixMessage(plain, path)
	if !ok {
		return
	}
	x.replaceBody(resp, pointed)
	mark(resp.Header, "pointed", x.outcome.failed.Info.reason, x.outcome.failed.Signature.String())
	x.outcome.reply = "pointed"
}

// replaceBody puts another body into an answer.
func (x *exchange) replaceBody(resp *http.Response, body []byte) {
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Trailer, resp.TransferEncoding = nil, nil
	for _, name := range []string{"Content-Encoding", "Transfer-Encoding", "Trailer", "Etag", "Content-Md5", "Digest", "Content-Digest"} {
		resp.Header.Del(name) // they speak of the upstream's bytes
	}
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
}

// orSilent is the message, or what the verdict says where the upstream said
// nothing that may be shown.
func orSilent(message, reason string) string {
	if message == "" {
		return "the upstream could not process an image of this request (" + reason + ")"
	}
	return message
}
