package proxy

import (
	"imagebreaker/internal/relay"
)

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
		if next = p.react(x, sent, judged); next.relay {
			p.relay(x, w, sent, judged)
			return
		}
	}
	p.reply(x, w, next)
}
