package proxy

import (
	"net/http"
	"sync/atomic"
	"time"

	"imagebreaker/internal/protocol"
)

// came notes that the body is there.
func (x *exchange) came() {
	x.body, x.sent, x.readAt = x.arriving.body, x.arriving.body, x.p.Now()
}

// mayGoAhead tells whether the request may go up while it arrives, before it is
// known what it carries: when nothing is remembered that it could have to do
// with, whatever that is. It then has its ticket.
func (x *exchange) mayGoAhead() bool {
	// Who asks whether to go on with the body has to get the answer first.
	if x.p.Preflight || !x.p.Repairs.Empty() || x.in.Header.Get("Expect") != "" {
		return false
	}
	t, ok := x.p.breaker.Depart(protocol.HeaderSession(x.in.Header))
	x.decision.Ticket = t
	return ok
}

// ahead is the state of a request that goes up while it arrives.
type ahead struct {
	over  chan struct{} // closed when nothing reads the client's body any more; nil: it did not go ahead
	taken atomic.Bool   // by who comes first: the body's end, or an answer that cannot wait for it
	broke error         // what kept the body from being whole
	late  bool          // the answer has not waited
}

// goAhead sends the request up while it arrives, and looks at it beside. Its
// answer waits until it has been seen as a whole, as every other request's does:
// from there on nothing has to know how it went up.
func (x *exchange) goAhead() {
	x.ahead.over = make(chan struct{})
	go func() {
		defer close(x.ahead.over)
		err := x.arriving.receive(x.in.Body, x.arrived)
		if x.ahead.taken.CompareAndSwap(false, true) {
			x.arrivedWhole(err)
		}
	}()
	defer func() {
		err := x.settle()
		if x.ahead.late {
			x.stopReading()
		}
		if err == nil {
			x.added = x.arriving.lag()
			x.finish()
		}
	}()
	x.pass(http.NoBody, x.in.ContentLength) // load has the real one
}

// arrivedWhole looks at the request when it is there.
func (x *exchange) arrivedWhole(err error) {
	if x.ahead.broke = err; err != nil {
		return
	}
	x.came()
	x.safely("scan", x.scan)
	if x.req != nil {
		x.safely("check", x.depart)
	}
}

// depart tells the breaker what it was that went.
func (x *exchange) depart() {
	x.decision.Ticket = x.decision.Ticket.Carrying(x.asked())
	x.outcome.open = true
}

// settle waits until a request that went ahead has been seen as a whole. A client
// that stops sending may wait for the very answer that is here: after a while it
// gets it, and the request goes unseen.
func (x *exchange) settle() error {
	if x.ahead.over == nil || x.ahead.late {
		return nil
	}
	timer := time.NewTimer(x.p.ErrorWait)
	defer timer.Stop()
	select {
	case <-x.ahead.over:
	case <-timer.C:
		if x.ahead.taken.CompareAndSwap(false, true) {
			x.ahead.late, x.unseen = true, "answered_early"
			return nil
		}
		<-x.ahead.over
	}
	return x.ahead.broke
}

// stopReading ends the reading of a body that nobody waits for any more.
func (x *exchange) stopReading() {
	// An error means a connection that has no deadlines: it has no pauses either.
	_ = http.NewResponseController(x.rw).SetReadDeadline(time.Now())
	<-x.ahead.over
}
