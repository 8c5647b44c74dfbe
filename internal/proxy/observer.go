package proxy

import (
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
