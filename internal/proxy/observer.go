package proxy

import (
	"time"

	"imagebreaker/eventlog"
)

// Observer is told what happens, for counting and for showing it. It is called
// while the client waits: it must be quick and never block.
type Observer interface {
	// Event is an event as the log gets it.
	Event(eventlog.Event)
	// Finished is a request of a known API that is over, whatever came of it.
	Finished(Finished)
}

// Finished is what there is to count of a request.
type Finished struct {
	Protocol     string
	Status       int           // the upstream's last answer; 0 without one
	ErrorKind    string        // as in the log; empty if the answer was no error
	ClientStatus int           // what the client got
	Bytes        int64         // of the request's body
	Added        time.Duration // from the body's end to its way up; 0 for a request that did not go up, or went unseen
}

// emit logs an event and shows it.
func (p *Proxy) emit(e eventlog.Event) {
	p.Log.Write(e)
	if p.Observer != nil {
		if e.Time.IsZero() {
			e.Time = p.Now()
		}
		p.Observer.Event(e)
	}
}

// finished shows an exchange that is over.
func (x *exchange) finished() {
	if x.p.Observer == nil {
		return
	}
	o := &x.outcome
	x.p.Observer.Finished(Finished{
		Protocol: x.api.Name(), Status: o.status, ErrorKind: o.errorKind, ClientStatus: o.clientStatus,
		Bytes: x.bytes(), Added: x.added,
	})
}

// bytes is the length of the request's body, as far as it is known.
func (x *exchange) bytes() int64 {
	if x.body == nil {
		return max(0, x.in.ContentLength)
	}
	return int64(len(x.body))
}
