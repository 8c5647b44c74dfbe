package proxy

import (
	"net/http"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

// Observer is told what happens, for counting and for showing it. It is called
// while the client waits: it must be quick and never block.
type Observer interface {
	// Event is an event as the log gets it.
	Event(eventlog.Event)
	// Finished is a request of a known API that is over, whatever came of it.
	Finished(record.Exchange)
}

// Observers are told one after the other.
type Observers []Observer

// Event implements Observer.
func (os Observers) Event(e eventlog.Event) {
	for _, o := range os {
		o.Event(e)
	}
}

// Finished implements Observer.
func (os Observers) Finished(x record.Exchange) {
	for _, o := range os {
		o.Finished(x)
	}
}

// emit logs an event and tells the observer of it.
func (p *Proxy) emit(e eventlog.Event) {
	if e.Time.IsZero() {
		e.Time = eventlog.Time{Time: p.Now()}
	}
	p.Log.Write(e)
	p.notify(func(o Observer) { o.Event(e) })
}

// notify tells the observer something. A fault in there is no fault of a request.
func (p *Proxy) notify(tell func(Observer)) {
	if p.Observer == nil {
		return
	}
	defer func() {
		if fault := recover(); fault != nil {
			p.Log.Write(eventlog.Event{Event: record.InternalError, Mode: string(p.Mode), Detail: "panic in an observer"})
		}
	}()
	tell(p.Observer)
}

// guard runs a stage, or a part of one. A fault in it is the program's own: it is
// logged, and guard returns false. The caller then goes on as if the stage had found
// nothing.
func (p *Proxy) guard(stage string, f func()) (ok bool) {
	defer func() {
		switch fault := recover(); fault {
		case nil:
		case http.ErrAbortHandler:
			panic(fault) // it is the client that has left
		default:
			p.emit(eventlog.Event{Event: record.InternalError, Mode: string(p.Mode), Detail: "panic in stage " + stage})
		}
	}()
	if p.testOnlyFault != nil {
		p.testOnlyFault(stage)
	}
	f()
	return true
}
