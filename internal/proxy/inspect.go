package proxy

import (
	"errors"

	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/jsontree"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

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
