package proxy

import (
	"net/http"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

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
