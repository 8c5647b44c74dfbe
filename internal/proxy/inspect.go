package proxy

import (
	"errors"
	"net/http"
	"time"

	"imagebreaker/breaker"
	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/jsontree"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

// subject is what a request was found to be.
type subject struct {
	api     protocol.API
	bypass  record.Bypass     // why it was not inspected; then there is no request
	request *protocol.Request // nil: it was not inspected
	images  []*protocol.Image
	header  http.Header
	body    []byte // without its Content-Encoding
	scope   string // protocol, upstream and model: failures of one say nothing of another
	err     error  // the body is not whole: the client broke off
}

// inspected tells whether anything is known of the request.
func (s *subject) inspected() bool { return s.request != nil }

// carried is the request as the breaker knows it, without what placeholders stand for.
func (s *subject) carried(gone placeholders) breaker.Request {
	r := breaker.Request{Session: s.request.Session, Scope: s.scope}
	for _, im := range gone.Kept(s.images) {
		r.Items = append(r.Items, im.Sum)
	}
	return r
}

// inspection is a subject that is found out beside the request's own goroutine, if its
// body is still being received.
type inspection struct {
	done    chan struct{}
	subject *subject
}

// inspect finds out what a request carries.
func (p *Proxy) inspect(r *request, in *inbound) *inspection {
	i := &inspection{done: make(chan struct{})}
	look := func() {
		defer close(i.done)
		<-in.filled
		switch s := (&subject{api: r.api, header: r.Header}); {
		case in.err != nil:
			s.err, i.subject = in.err, s
		case in.stream != nil:
			s.bypass, i.subject = record.BodyTooLarge, s
		default:
			s.bypass, i.subject = record.InternalFault, s // until it is known better
			body, _ := in.buffer.Await(in.buffer.Len())
			p.guard("inspect", func() { i.subject = p.scan(r, body, in.hasher) })
		}
	}
	if in.hasher != nil {
		in.filling.Go(look)
	} else {
		look()
	}
	return i
}

// scan reads a body, without its encoding.
func (p *Proxy) scan(r *request, body []byte, h *protocol.Hasher) *subject {
	s := &subject{api: r.api, header: r.Header}
	plain, err := bodyio.Inflate(bodyio.EncodingOf(r.Header), body, p.BodyLimit)
	switch {
	case errors.Is(err, bodyio.ErrTooLarge):
		s.bypass = record.BodyTooLarge
		return s
	case err != nil:
		s.bypass = record.BadEncoding
		return s
	}
	q, err := protocol.Scan(r.api, r.call, r.Header, plain, h)
	switch {
	case errors.Is(err, jsontree.ErrTooMany), errors.Is(err, protocol.ErrTooManyImages):
		s.bypass = record.TooManyValues
		return s
	case err != nil:
		s.bypass = record.NotJSON
		return s
	}
	s.request, s.images, s.body = q, q.Parts(), plain
	s.scope = r.api.Name() + "\n" + r.upstream.String() + "\n" + q.Model
	return s
}

// wait waits for the subject; if limit is above zero, no longer than that. It then
// returns nil.
func (i *inspection) wait(limit time.Duration) *subject {
	if limit <= 0 {
		<-i.done
		return i.subject
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-i.done:
		return i.subject
	case <-timer.C:
		return nil
	}
}
