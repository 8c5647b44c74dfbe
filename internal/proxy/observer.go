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
