package proxy

import (
	"sync"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/imagehash"
	"imagebreaker/internal/attribution"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/reply"
)

// exchange owns what a request comes to: the facts, to which stages only add, and the
// breaker's lease, which ends once. Nothing else of a request changes. Its methods may
// be called by the goroutine that copies an answer while another waits for it.
type exchange struct {
	p *Proxy
	r *request

	mu        sync.Mutex // guards what follows
	facts     record.Exchange
	logged    int // attempts that have their event
	lease     *lease
	discarded bool // nobody is to hear of it
}

// begin starts an exchange. close ends it.
func (p *Proxy) begin(r *request) *exchange {
	return &exchange{p: p, r: r, facts: record.Exchange{
		Mode: string(p.Mode), Protocol: r.api.Name(), Start: p.Now(), Bytes: max(0, r.ContentLength),
	}}
}

// note adds to the facts. It is the only way to do so.
func (x *exchange) note(add func(*record.Exchange)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	add(&x.facts)
}

// attempt starts another attempt to have the request answered, in the place of one
// that was never sent. It may go with a lease, whose end tells what became of it.
func (x *exchange) attempt(a record.Attempt, l *lease) {
	for _, e := range l.Probed() {
		a.Probed = append(a.Probed, recordOf(e))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if last := x.facts.Last(); last != nil && !last.Sent {
		x.facts.Attempts = x.facts.Attempts[:len(x.facts.Attempts)-1]
	}
	x.facts.Attempts = append(x.facts.Attempts, a)
	x.lease.Release() // nothing, where the attempt before has ended it
	x.lease = l
}

// noteAttempt adds to the facts of the latest attempt.
func (x *exchange) noteAttempt(add func(*record.Attempt)) {
	x.note(func(facts *record.Exchange) { add(facts.Last()) })
}

// fail takes note of what an error was judged to be, and records the failure if it is
// one. It returns the entry that stands for the failure, and whether there is one.
func (x *exchange) fail(s *subject, j failure.Judgement, a attribution.Attribution) (e entry, recorded bool) {
	x.noteAttempt(func(at *record.Attempt) { at.Verdict, at.Reason = j.Verdict, j.Reason })
	if j.Verdict == record.None {
		return e, false
	}
	if e, recorded = x.lease.Fail(failureOf(s, j, a)); recorded {
		x.noteAttempt(func(at *record.Attempt) { at.Recorded = new(recordOf(e)) })
	}
	return e, recorded
}

// succeed takes note of an answer that ended well, before the client has its end and
// can be back.
func (x *exchange) succeed(s *subject) {
	if s.request.Kind == protocol.Count {
		x.lease.Release() // counting tokens proves nothing about an image
	}
	if cleared := x.lease.Succeed(); len(cleared) > 0 {
		x.noteAttempt(func(at *record.Attempt) {
			for _, e := range cleared {
				at.Cleared = append(at.Cleared, recordOf(e))
			}
		})
	}
	x.commit()
}

// commit ends the lease and writes the events that there are by now. It comes before
// the end of what the client gets: who is back with the next try must meet what this
// one has shown.
func (x *exchange) commit() {
	x.lease.Release()
	for _, e := range x.events() {
		x.p.emit(e)
	}
}

// events are those of the attempts that have none yet. A plain success has none, but
// may still come to something else.
func (x *exchange) events() []eventlog.Event {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.discarded {
		return nil
	}
	var out []eventlog.Event
	for i := x.logged; i < len(x.facts.Attempts); i++ {
		a := &x.facts.Attempts[i]
		if x.facts.Path == "" && x.facts.Event(a) != "" {
			x.facts.Path = protocol.OwnPath(x.r.api, x.r.Request)
		}
		if e, ok := eventlog.NewEvent(&x.facts, a, x.p.Now()); ok {
			out = append(out, e)
			x.logged = i + 1
		}
	}
	return out
}

// discard leaves nothing of the exchange: the client broke off before there was a
// request.
func (x *exchange) discard() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.discarded = true
}

// close records the exchange, whatever came of it.
func (x *exchange) close() {
	x.p.guard("record", x.commit)
	if !x.discarded {
		x.p.notify(func(o Observer) { o.Finished(x.facts) })
	}
}

// failureOf is a judged failure as the breaker remembers it.
func failureOf(s *subject, j failure.Judgement, a attribution.Attribution) breaker.Failure[record.FailureInfo] {
	f := breaker.Failure[record.FailureInfo]{
		Items: a.Items(), Whole: a.Whole, Suspect: j.Verdict == record.Suspect,
		Info: record.FailureInfo{
			Protocol: s.api.Name(), Model: s.request.Model, Reason: j.Reason,
			Message: failure.Sanitize(j.Message), Code: failure.Slug(j.Code),
			Unsure: !a.Certain, Limit: j.Limits.Count, Conversation: s.request.Conversation(),
		},
	}
	if im := a.Primary(); im != nil {
		f.Info.Image = reply.Describe(im)
	}
	if a.Named != nil && a.Whole {
		f.Info.Named = new([32]byte(a.Named.Sum))
	}
	return f
}

// recordOf is an entry as the record has it.
func recordOf(e entry) record.Entry {
	out := record.Entry{Signature: e.Signature.String(), Reason: e.Info.Reason, Rejected: e.Rejected, Remaining: e.Remaining}
	for _, it := range e.Items {
		out.Items = append(out.Items, imagehash.Sum(it).Log())
	}
	return out
}
