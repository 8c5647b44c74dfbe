package proxy

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"imagebreaker/breaker"
	"imagebreaker/imagehash"
	"imagebreaker/internal/attribution"
	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/reply"
	"imagebreaker/internal/substitution"
)

// What the stages hand to one another, in the order in which it comes to be. A stage
// makes its own and changes nobody else's.

// The breaker's types, as this package uses them.
type (
	entry    = breaker.Entry[record.FailureInfo]
	decision = breaker.Decision[record.FailureInfo]
	lease    = breaker.Lease[record.FailureInfo]
)

// placeholders are what is left out of a request.
type placeholders = substitution.Set

// request is a client's request of a known API.
type request struct {
	*http.Request
	api      protocol.API
	call     protocol.Call
	upstream *url.URL
}

// inbound is a client's request body. It is in a buffer that holds all of it, or is
// being filled with it; one over the limit is a stream that can be read once.
type inbound struct {
	buffer *bodyio.Buffer
	stream io.ReadCloser    // nil, or the whole body, read once
	hasher *protocol.Hasher // nil, or fed while the buffer is filled

	filling sync.WaitGroup // and whatever else reads the buffer beside the request's own goroutine
	filled  chan struct{}  // closed when the buffer is filled, or will not be
	err     error          // then: why it is not whole
	stop    func()         // ends the filling
	at      time.Time      // then: when that was
}

// close ends the use of the body. What is still being received is given up.
func (in *inbound) close() {
	select {
	case <-in.filled:
	default:
		in.stop()
	}
	in.filling.Wait()
	if in.stream != nil {
		in.stream.Close()
	}
	if in.buffer != nil {
		in.buffer.Release()
	}
}

// inspection is a subject that is found out beside the request's own goroutine, if its
// body is still being received.
type inspection struct {
	done    chan struct{}
	subject *subject
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

// repeats tells whether the request is the failed turn of one of the entries once
// more.
func repeats(s *subject, entries []entry) bool {
	if len(entries) == 0 {
		return false
	}
	conversation := s.request.Conversation()
	return slices.ContainsFunc(entries, func(e entry) bool { return imagehash.Sum(e.Info.Conversation) == conversation })
}

// plan is what is to be done next: to give an answer in the upstream's place, to pass
// on what came back, or to send the request.
type plan struct {
	answer *reply.Answer
	relay  bool

	// What to send: the request as it came, or with placeholders.
	body         []byte // nil: as it came
	placeholders placeholders
	early        bool // it goes up while it is received, before it is known what it carries
	resends      int  // how often the request was sent before
}

// sent is a request that went up, and what came back.
type sent struct {
	plan     plan
	subject  *subject
	response *http.Response
	err      error // why there is no response
}

// finding is what an answer was judged to be.
type finding struct {
	body io.ReadCloser // what to read of the answer from here on
	late bool          // what the answer comes to is known at its end, and recorded then

	// Of an error that was read whole.
	judged      bool
	judgement   failure.Judgement
	attribution attribution.Attribution
	read        []byte // the error as it came
}
