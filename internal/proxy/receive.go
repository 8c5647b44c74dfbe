package proxy

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/reply"
)

// receive takes the body in. It returns nil for one that cannot be received, whose
// client has been told so if it is still there.
func (p *Proxy) receive(x *exchange, w *relay.Writer, r *request) *inbound {
	in := &inbound{filled: make(chan struct{})}
	var err error
	switch n := r.ContentLength; {
	case n > p.BodyLimit:
		in.stream = bodyio.Detach(r.Body)
	case n >= p.longFrom && n > 0 && bodyio.EncodingOf(r.Header) == "":
		p.receiveLong(in, w, r)
		return in
	case n >= 0:
		in.buffer = bodyio.NewBuffer(&p.buffers, int(n), p.Now)
		err = in.buffer.Fill(r.Body)
	default:
		err = p.receiveChunked(x, in, r)
	}
	in.at = p.Now()
	close(in.filled)
	if err != nil {
		in.close()
		x.discard()
		p.refuseBody(w, r, err)
		return nil
	}
	return in
}

// receiveLong takes the body in beside the request's own goroutine, and hashes it.
func (p *Proxy) receiveLong(in *inbound, w *relay.Writer, r *request) {
	in.buffer, in.hasher = bodyio.NewBuffer(&p.buffers, int(r.ContentLength), p.Now), &protocol.Hasher{}
	in.stop = func() {
		// An error means a connection that has no deadlines: it has no pauses either.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now())
	}
	in.filling.Go(func() {
		defer close(in.filled)
		var hashing sync.WaitGroup
		hashing.Go(func() { hash(in.buffer, in.hasher) })
		in.err = in.buffer.Fill(r.Body)
		hashing.Wait()
		in.at = p.Now()
	})
}

// hash feeds the hasher with the body while it is received.
func hash(b *bodyio.Buffer, h *protocol.Hasher) {
	var body []byte
	for err := error(nil); err == nil; {
		body, err = b.Await(len(body))
		h.Advance(body)
	}
}

// receiveChunked takes in a body of unknown length.
func (p *Proxy) receiveChunked(x *exchange, in *inbound, r *request) error {
	body, rest, err := bodyio.ReadUpTo(r.Body, p.BodyLimit)
	switch {
	case err != nil:
		return err
	case rest != nil:
		in.stream = bodyio.Detach(rest)
		return nil
	}
	in.buffer = bodyio.Whole(&p.buffers, body, p.Now)
	x.note(func(facts *record.Exchange) { facts.Bytes = int64(len(body)) })
	return nil
}

// refuseBody ends a request whose body cannot be received: nothing to forward, and
// mostly nobody to answer.
func (p *Proxy) refuseBody(w *relay.Writer, r *request, err error) {
	var broken net.Error
	if errors.Is(err, bodyio.ErrTruncated) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &broken) || r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client broke off
	}
	w.Header().Set("Connection", "close")
	reply.Failure(r.api, protocol.Error{
		Status: http.StatusBadRequest, Message: "imagebreaker: the request's body cannot be read: its chunks are malformed",
	}).WriteTo(w)
}
