package proxy

import (
	"net/http"
	"sync"

	"imagebreaker/internal/protocol"
)

// receive takes a long body in, which is looked at beside.
func (x *exchange) receive() error {
	x.arrived = &protocol.Arriving{}
	var looking sync.WaitGroup
	looking.Go(func() { x.arriving.show(x.arrived) })
	err := x.arriving.take(x.in.Body)
	looking.Wait()
	if err != nil {
		return err
	}
	x.body, x.sent, x.readAt = x.arriving.body, x.arriving.body, x.p.Now()
	return nil
}

// mayGoAhead tells whether the request may go up while it arrives, before it is
// known what it carries: when nothing is remembered that it could have to do
// with, whatever that is. It then has its ticket.
func (x *exchange) mayGoAhead() bool {
	// Who asks whether to go on with the body has to get the answer first.
	if x.p.Preflight || !x.p.Repairs.Empty() || x.in.Header.Get("Expect") != "" {
		return false
	}
	t, ok := x.p.breaker.Depart(protocol.SureSession(x.in.Header))
	x.decision.Ticket = t
	return ok
}

// goAhead sends the request up while it arrives, and looks at it beside. Its
// answer waits until it has been seen as a whole, as every other request's does:
// from there on nothing has to know how it went up.
func (x *exchange) goAhead() {
	x.seen = make(chan struct{})
	go func() {
		defer close(x.seen)
		if x.broke = x.receive(); x.broke != nil {
			return
		}
		x.safely("scan", x.scan)
		if x.req != nil {
			x.safely("check", x.depart)
		}
	}()
	defer func() {
		if x.settle() == nil {
			x.added = x.arriving.lag()
			x.finish()
		}
	}()
	x.pass(http.NoBody, x.in.ContentLength) // load has the real one
}

// depart tells the breaker what it was that went.
func (x *exchange) depart() {
	x.decision.Ticket = x.decision.Ticket.Carrying(x.asked())
	x.outcome.open = true
}

// settle waits until a request that went ahead has been seen as a whole.
func (x *exchange) settle() error {
	if x.seen != nil {
		<-x.seen
	}
	return x.broke
}
