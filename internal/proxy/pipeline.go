package proxy

import (
	"net/http"
	"net/url"

	"imagebreaker/eventlog"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/reply"
)

// request is a client's request of a known API.
type request struct {
	*http.Request
	api      protocol.API
	call     protocol.Call
	upstream *url.URL
}

// serve takes a request through all stages.
func (p *Proxy) serve(w *relay.Writer, r *request) {
	x := p.begin(r)
	defer x.close() // record

	in := p.receive(x, w, r)
	if in == nil {
		return // there is nothing to forward
	}
	defer in.close()

	found := p.inspect(r, in)
	next := p.decide(x, r, in, found)
	for next.answer == nil {
		sent := p.send(x, w, r, in, found, next)
		judged := p.judge(x, sent)
		if next = p.react(x, sent, judged); next.relay != nil {
			p.relay(x, w, next)
			return
		}
	}
	p.reply(x, w, next)
}

// plan is what is to be done next. Of answer, relay and the rest, one is set.
type plan struct {
	answer *reply.Answer // to give in the upstream's place
	relay  *sent         // to pass on

	// What to send, else: the request as it came, or with placeholders.
	body         []byte // nil: as it came
	placeholders placeholders
	early        bool // it goes up while it is received, before it is known what it carries
	resends      int  // how often the request was sent before
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
