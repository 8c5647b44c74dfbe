package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"

	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/reply"
)

// send sends a request up and waits for the head of the answer. If it went up early,
// the answer waits until the request was inspected: from there on nothing has to know
// how it went up.
func (p *Proxy) send(x *exchange, w *relay.Writer, r *request, in *inbound, found *inspection, next plan) *sent {
	out := outgoing(r, in, next)
	x.noteAttempt(func(at *record.Attempt) { at.Sent, at.Bytes = true, max(0, out.ContentLength) })
	if !next.early {
		x.note(func(facts *record.Exchange) { facts.Added = p.Now().Sub(in.at) })
	}
	s := &sent{plan: next}
	s.response, s.err = relay.Send(w, out, p.Transport)
	if next.early {
		s.subject = p.settle(x, in, found, s.response)
	} else {
		s.subject = found.wait(0)
	}
	return s
}

// settle waits until a request that went up early was inspected as a whole. A client
// that stops sending may wait for the very answer that is here: after a while it gets
// it, and the request is bypassed.
func (p *Proxy) settle(x *exchange, in *inbound, found *inspection, response *http.Response) *subject {
	s := found.wait(p.ErrorWait)
	switch {
	case s == nil:
		s = &subject{bypass: record.AnsweredEarly}
	case s.err != nil:
		if response != nil {
			response.Body.Close()
		}
		x.discard()
		panic(http.ErrAbortHandler)
	case s.inspected():
		x.lease.Bind(s.carried(nil))
		fallthrough
	default:
		x.note(func(facts *record.Exchange) { facts.Added = in.buffer.Lag() })
	}
	x.inspected(s)
	return s
}

// outgoing is the request as it goes up.
func outgoing(r *request, in *inbound, next plan) *http.Request {
	out := relay.Outgoing(r.Request, r.upstream)
	switch {
	case next.body != nil:
		setBody(out, int64(len(next.body)), func() io.ReadCloser { return opaque(next.body) })
		for _, name := range []string{"Content-Encoding", "Content-Md5", "Digest", "Content-Digest"} {
			out.Header.Del(name) // they speak of the bytes that the client sent
		}
	case in.stream != nil:
		out.Body, out.ContentLength = in.stream, r.ContentLength
	default:
		setBody(out, int64(in.buffer.Len()), in.buffer.Reader)
	}
	if len(r.Trailer) > 0 {
		out.ContentLength = -1 // trailers need chunks
	}
	return out
}

// setBody gives a request a body that can be read several times: the transport may
// send it anew when an idle connection turns out dead.
func setBody(out *http.Request, length int64, open func() io.ReadCloser) {
	out.ContentLength = length
	if length == 0 {
		out.Body = http.NoBody
		return
	}
	out.Body = open()
	out.GetBody = func() (io.ReadCloser, error) { return open(), nil }
}

// opaque is a reader of no known kind: of one in memory the transport sends nothing
// before it reads, and takes a dead connection for a fault of the reader.
func opaque(body []byte) io.ReadCloser {
	return io.NopCloser(struct{ io.Reader }{bytes.NewReader(body)})
}

// unreachable answers for an upstream that gave no answer.
func (p *Proxy) unreachable(r *http.Request, api protocol.API, upstream *url.URL, err error) reply.Answer {
	if r.Context().Err() != nil || errors.Is(err, bodyio.ErrTruncated) {
		panic(http.ErrAbortHandler) // it is the client that left
	}
	if api == nil {
		api = p.APIs.Of(protocol.GuessProvider(r))
	}
	why, status := relay.Unreachable(upstream.Host, err)
	return reply.Failure(api, protocol.Error{Status: status, Message: "imagebreaker: " + failure.Sanitize(why)})
}
