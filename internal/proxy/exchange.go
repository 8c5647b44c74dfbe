package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"imagebreaker/breaker"
	"imagebreaker/imagehash"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/jsontree"
	"imagebreaker/internal/protocol"
)

// exchange is one request on its way through the steps. All but the answer's
// tap runs on the request's own goroutine.
type exchange struct {
	p        *Proxy
	rw       http.ResponseWriter
	in       *http.Request
	api      protocol.API // nil: a request of no API
	call     protocol.Call
	upstream *url.URL
	start    time.Time
	readAt   time.Time     // when the body was there
	added    time.Duration // from then until it went up

	arriving *arrival // the body, if it is a long one
	ahead    ahead
	body     []byte            // as the client sent it
	arrived  *protocol.Hasher  // what looked on while it came; nil: nothing did
	plain    []byte            // the same without its encoding
	sent     []byte            // what goes up
	gone     replaced          // the images that are not in it any more
	req      *protocol.Request // nil: not seen
	unseen   string            // why not
	scope    string
	decision breaker.Decision[memo]

	outcome outcome
	answers []Answered // what came before outcome, where the request was sent again
	avoided Avoided
	probe   Probe
}

// memo is what an entry keeps of its failure beside the culprits.
type memo struct {
	protocol string
	model    string
	reason   string
	words    string        // the upstream's own, without URLs and payload
	code     string        // the upstream's error code
	image    seen          // the image, or one of several
	pointed  *breaker.Item // the image that the error named, in a failure of the whole set
	unsure   bool          // the culprits are only those that may have been it
	// preflight: it was never uploaded, a look at it was enough.
	preflight bool
	limit     int // how many images the upstream takes, in a failure of the whole set; -1: not said
	// conversation is that of the latest request that failed so: the same once
	// more is a repeat.
	conversation imagehash.Sum
}

// pass forwards the request without a look.
func (x *exchange) pass(body io.Reader, length int64) {
	r := x.in.WithContext(context.WithValue(x.in.Context(), exchangeKey{}, x))
	switch b := body.(type) {
	case io.ReadCloser:
		r.Body = b
	default:
		r.Body = io.NopCloser(b)
	}
	r.ContentLength = length
	x.p.forward.ServeHTTP(x.rw, r)
}

// serve takes the request through all steps.
func (x *exchange) serve() {
	if x.p.isLong(x.in) {
		x.serveLong()
		return
	}
	body, rest, err := read(x.in, x.p.BodyLimit)
	if err != nil {
		x.unreadable(err)
		return
	}
	defer x.finish()
	if rest != nil {
		x.unseen = "body_too_large"
		x.pass(rest, x.in.ContentLength)
		return
	}
	x.body, x.sent, x.readAt = body, body, x.p.Now()
	x.answerOrForward()
}

// unreadable ends a request whose body cannot be read: nothing to forward, and
// mostly nobody to answer.
func (x *exchange) unreadable(err error) {
	var broken net.Error
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &broken) || x.in.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client broke off
	}
	x.rw.Header().Set("Connection", "close")
	x.write(http.StatusBadRequest, "application/json", x.envelope().Error(protocol.Error{
		Status: http.StatusBadRequest, Message: "imagebreaker: the request's body cannot be read: its chunks are malformed",
	}))
}

// serveLong takes a request with a long body through all steps. The body's sums
// are taken while it comes.
func (x *exchange) serveLong() {
	x.arriving = newArrival(&x.p.bodies, int(x.in.ContentLength), x.p.Now)
	defer x.arriving.release()
	x.arrived = &protocol.Hasher{}
	if x.mayGoAhead() {
		x.goAhead()
		return
	}
	if err := x.arriving.receive(x.in.Body, x.arrived); err != nil {
		panic(http.ErrAbortHandler)
	}
	x.came()
	defer x.finish()
	x.answerOrForward()
}

// answerOrForward decides about a request whose body is there.
func (x *exchange) answerOrForward() {
	x.safely("scan", x.scan)
	if x.req != nil {
		x.safely("check", x.check)
		x.safely("preflight", x.preflight)
	}
	if x.req != nil && x.p.Mode == On {
		answered := false
		if ok := x.safely("hold", func() { answered = x.hold() }); !ok {
			x.sent, x.gone = x.body, nil // as if nothing were known
		}
		if answered {
			return
		}
	}
	if x.replayed() {
		x.decision.Held = x.p.breaker.Hold(x.decision.Held) // as it would have counted
		x.avoids(WouldHold, x.decision.Held[0].Info.reason, 0)
	} else if len(x.gone) > 0 {
		m, _ := x.first()
		x.avoids(ByRepairing, m.Reason, len(x.sent))
	}
	x.added = x.p.Now().Sub(x.readAt)
	length := int64(len(x.sent))
	if len(x.in.Trailer) > 0 {
		length = -1 // trailers need chunks
	}
	x.pass(http.NoBody, length) // load has the real one
}

// safely runs a step. A fault in it is ours: it is logged, and the request
// goes on as if the step had found nothing.
func (x *exchange) safely(step string, f func()) (ok bool) {
	defer func() {
		if fault := recover(); fault != nil {
			x.fault(step)
		}
	}()
	if x.p.testOnlyFault != nil {
		x.p.testOnlyFault(step)
	}
	f()
	return true
}

// scan looks at the body, without its encoding.
func (x *exchange) scan() {
	x.unseen = "internal_error" // until it is known better
	plain, err := inflate(encodingOf(x.in.Header), x.body, x.p.BodyLimit)
	switch {
	case errors.Is(err, errTooLarge):
		x.unseen = "body_too_large"
		return
	case err != nil:
		x.unseen = "bad_encoding"
		return
	}
	req, err := protocol.Scan(x.api, x.call, x.in.Header, plain, x.arrived)
	switch {
	case errors.Is(err, jsontree.ErrTooMany), errors.Is(err, protocol.ErrTooManyImages):
		x.unseen = "too_many_values"
		return
	case err != nil:
		x.unseen = "not_json"
		return
	}
	x.plain, x.req, x.unseen = plain, req, ""
	x.scope = x.api.Name() + "\n" + x.upstream.String() + "\n" + req.Model
}

// check asks the breaker about what would go up.
func (x *exchange) check() {
	x.decision = x.p.breaker.Check(x.asked())
	x.outcome.open = true
}

// asked is the request as the breaker knows it.
func (x *exchange) asked() breaker.Request {
	return breaker.Request{Session: x.req.Session, Scope: x.scope, Items: x.items()}
}

// items are the sums of the images that are still in the request.
func (x *exchange) items() []breaker.Item {
	return slices.DeleteFunc(x.req.Items(), func(it breaker.Item) bool { _, gone := x.gone[it]; return gone })
}

// roundTrip sends the request and looks at the answer's head. In style repair
// it may have to send it more than once.
func (x *exchange) roundTrip(r *http.Request, base http.RoundTripper) (*http.Response, error) {
	for round := 0; ; round++ {
		x.load(r)
		resp, err := base.RoundTrip(r)
		if broke := x.settle(); broke != nil {
			if resp != nil {
				resp.Body.Close()
			}
			return nil, broke
		}
		if err != nil {
			return nil, err
		}
		x.outcome.status, x.outcome.clientStatus = resp.StatusCode, resp.StatusCode
		x.outcome.requestID = protocol.RequestID(resp.Header)
		again := false
		if x.req == nil && resp.StatusCode >= http.StatusBadRequest {
			x.outcome.errorKind = httpKind(resp.StatusCode)
		}
		if x.req != nil {
			x.safely("watch", func() { resp, again = x.watch(resp, round < maxRounds) })
		}
		if !again {
			x.markRepaired(resp)
			return resp, nil
		}
		r = r.Clone(r.Context())
	}
}

// load puts the body into the request. The transport closes it, which the
// forwarder keeps from the one that it is given.
func (x *exchange) load(r *http.Request) {
	if x.arriving == nil && x.body == nil {
		return // streamed
	}
	// The transport may send it anew when an idle connection turns out dead.
	r.GetBody = func() (io.ReadCloser, error) { return x.reader(), nil }
	r.Body = x.reader()
	if len(x.gone) == 0 {
		return
	}
	if r.ContentLength >= 0 {
		r.ContentLength = int64(len(x.sent))
	}
	for _, name := range []string{"Content-Encoding", "Content-Md5", "Digest", "Content-Digest"} {
		r.Header.Del(name) // they speak of the bytes that the client sent
	}
}

// reader reads what goes up, from its start.
func (x *exchange) reader() io.ReadCloser {
	if x.arriving != nil && len(x.gone) == 0 {
		return x.arriving.reader()
	}
	// As a reader of no known kind: of one in memory the transport sends nothing
	// before it reads, and takes a dead connection for a fault of the reader.
	return io.NopCloser(struct{ io.Reader }{bytes.NewReader(x.sent)})
}

// watch puts the answer under watch and gives back what the client gets, or
// says that the request is to be sent again.
func (x *exchange) watch(resp *http.Response, mayRepair bool) (_ *http.Response, again bool) {
	switch {
	case resp.StatusCode >= 400 && len(x.items()) > 0:
		return x.refused(resp, mayRepair)
	case resp.StatusCode >= 400:
		x.outcome.errorKind = httpKind(resp.StatusCode)
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
		x.tap(resp)
	}
	return resp, false
}

// fail takes note of a judged failure. It returns what the failure was blamed
// on, and whether it is now remembered.
func (x *exchange) fail(j failure.Judgement) (blame, bool) {
	x.outcome.verdict, x.outcome.reason = j.Verdict, j.Reason
	if j.Verdict == failure.None || !x.outcome.open || x.replayed() {
		return blame{}, false
	}
	b := x.blame(j)
	x.outcome.open = false
	entry, recorded := x.p.breaker.Fail(x.decision.Ticket, breaker.Failure[memo]{
		Culprits: b.items(), Whole: b.whole, Suspect: j.Verdict == failure.Suspect,
		Info: memo{
			protocol: x.api.Name(), model: x.req.Model, reason: j.Reason, image: b.seen(),
			words: failure.Sanitize(j.Message), code: codeOf(j.Code), pointed: b.pointed, limit: j.Limits.Count, unsure: !b.certain,
			conversation: x.req.Conversation(),
		},
	})
	if recorded {
		x.outcome.failed = &entry
		x.probeWas(ProbeFailed, entry)
	}
	return b, recorded
}

// replayed tells a request that would have been held and was let through for
// dry-run. Its failure is what holding it would have spared: it records
// nothing, so that the entry ages as it would have.
func (x *exchange) replayed() bool { return len(x.decision.Held) > 0 }

// succeed takes note of an answer that ended well, before the client has its
// end and can be back.
func (x *exchange) succeed() {
	if !x.outcome.open {
		return
	}
	if x.req.Kind == protocol.Count {
		x.abandon() // counting tokens proves nothing about an image
	} else {
		x.outcome.open = false
		x.outcome.cleared = x.p.breaker.Succeed(x.decision.Ticket)
		x.probeWas(ProbeRecovered, x.outcome.cleared...)
	}
	x.log()
}

// unreachable answers for an upstream that gave no answer.
func (x *exchange) unreachable(err error) {
	if x.in.Context().Err() != nil || errors.Is(err, errBrokeOff) {
		panic(http.ErrAbortHandler) // it is the client that left
	}
	x.abandon() // before the client can be back with the next probe
	why, status := reach(x.upstream.Host, err)
	x.outcome.errorKind, x.outcome.clientStatus = network, status
	x.write(status, "application/json", x.envelope().Error(protocol.Error{
		Status: status, Message: "imagebreaker: " + failure.Sanitize(why),
	}))
}

// envelope is the API whose error form the client reads.
func (x *exchange) envelope() protocol.API {
	if x.api != nil {
		return x.api
	}
	return x.p.APIs.Of(protocol.GuessProvider(x.in))
}

// write sends an answer of our own.
func (x *exchange) write(status int, contentType string, body []byte) {
	h := x.rw.Header()
	delete(h, "Date")
	h.Set("Content-Type", contentType)
	protocol.SetErrorHeader(h, x.envelope(), status)
	x.rw.WriteHeader(status)
	x.rw.Write(body) // nothing can be done for a client that has left
}

// finish gives the ticket back if nobody has, and logs the exchange.
func (x *exchange) finish() {
	x.safely("finish", func() {
		x.abandon()
		x.log()
		x.finished()
	})
}

// abandon gives the ticket back if nobody has: the request has proved nothing.
func (x *exchange) abandon() {
	if x.outcome.open {
		x.outcome.open = false
		x.p.breaker.Abandon(x.decision.Ticket)
	}
}
