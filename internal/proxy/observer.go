package proxy

import (
	"time"

	"imagebreaker/breaker"
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

// Observers are told one after the other.
type Observers []Observer

// Event implements Observer.
func (os Observers) Event(e eventlog.Event) {
	for _, o := range os {
		o.Event(e)
	}
}

// Finished implements Observer.
func (os Observers) Finished(f Finished) {
	for _, o := range os {
		o.Finished(f)
	}
}

// Finished is what there is to count of a request.
type Finished struct {
	Protocol     string
	Answers      []Answered // the upstream's: none if it was not asked, several if the request was repaired and sent again
	ClientStatus int        // what the client got; 0 if it left before
	Bytes        int64      // of the request's body
	Avoided      Avoided
	Repaired     bool          // it went up with notes in the place of images
	Probe        Probe         // of an entry whose cool-off had run out
	Added        time.Duration // from the body's end to its way up; 0 for a request that did not go up, or went unseen
}

// Answered is an answer of the upstream, or that there was none. The fields are
// as in the log.
type Answered struct {
	Status        int    // 0 without an answer
	ErrorKind     string // empty if the answer was no error
	RetryDecision string // of an error
	Verdict       string // empty if there was nothing to judge
	Reason        string
}

// Avoided is an upload of known-bad images that did not take place. The zero
// value is a request without any.
type Avoided struct {
	How    How
	Reason string
	Bytes  int64 // that the client sent and the upstream did not get; 0 at least
}

// How is how an upload was avoided.
type How string

// The ways to avoid an upload.
const (
	ByHolding   How = "held"       // answered in the upstream's place
	ByRepairing How = "repaired"   // sent without them
	WouldHold   How = "would_hold" // dry-run sent it as it was
)

// Probe is what came of a probe. The zero value is a request that probed nothing.
type Probe string

// The results of a probe.
const (
	ProbeRecovered    Probe = "recovered"    // the images went well
	ProbeFailed       Probe = "failed"       // they failed again
	ProbeInconclusive Probe = "inconclusive" // it proved nothing
)

// emit logs an event and shows it.
func (p *Proxy) emit(e eventlog.Event) {
	if e.Time.IsZero() {
		e.Time = p.Now()
	}
	p.Log.Write(e)
	p.show(func(o Observer) { o.Event(e) })
}

// show tells the observer something. A fault in there is no fault of a request.
func (p *Proxy) show(tell func(Observer)) {
	if p.Observer == nil {
		return
	}
	defer func() {
		if fault := recover(); fault != nil {
			p.Log.Write(eventlog.Event{Event: "internal_error", Mode: string(p.Mode), Detail: "panic in an observer"})
		}
	}()
	tell(p.Observer)
}

// finished shows an exchange that is over.
func (x *exchange) finished() {
	x.answered()
	x.p.show(func(o Observer) {
		o.Finished(Finished{
			Protocol: x.api.Name(), Answers: x.answers, ClientStatus: x.outcome.clientStatus, Bytes: x.bytes(),
			Avoided: x.avoided, Repaired: len(x.gone) > 0, Probe: x.probed(), Added: x.added,
		})
	})
}

// answered notes the upstream's answer, if it was asked and did not leave it
// open because the client left.
func (x *exchange) answered() {
	o := &x.outcome
	if o.status != 0 || o.errorKind != "" {
		x.answers = append(x.answers, Answered{o.status, o.errorKind, x.retryDecision(), string(o.verdict), o.reason})
	}
}

// avoids notes that known-bad images do not go up.
func (x *exchange) avoids(how How, reason string, sent int) {
	x.avoided = Avoided{how, reason, max(0, x.bytes()-int64(sent))}
}

// probed is what came of the exchange's probe.
func (x *exchange) probed() Probe {
	if x.probe == "" && len(x.decision.Probed) > 0 {
		return ProbeInconclusive
	}
	return x.probe
}

// probeWas notes what came of entries, if the request probes one of them.
func (x *exchange) probeWas(result Probe, entries ...breaker.Entry[memo]) {
	for _, probed := range x.decision.Probed {
		for _, e := range entries {
			if e.Signature == probed.Signature {
				x.probe = result
			}
		}
	}
}

// bytes is the length of the request's body, as far as it is known.
func (x *exchange) bytes() int64 {
	if x.body == nil {
		return max(0, x.in.ContentLength)
	}
	return int64(len(x.body))
}
