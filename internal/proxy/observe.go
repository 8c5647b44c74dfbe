package proxy

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"

	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/record"
	"imagebreaker/internal/stream"
	"imagebreaker/sse"
)

// observe watches an answer that began well, for an error inside it and for its good
// end.
func (p *Proxy) observe(x *exchange, s *sent) io.ReadCloser {
	resp := s.response
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	events := stream.NewScanner(kind)
	if events == nil && kind != "application/json" {
		events = stream.NewScanner(string(s.subject.request.Stream)) // a stream under a wrong name
	}
	c := completion{p: p, x: x, sent: s, delimited: isDelimited(resp)}
	var o bodyio.Observer = &documentObserver{completion: c}
	if events != nil {
		o = &streamObserver{completion: c, events: events}
	}
	guard := func(f func()) { p.guard("observe", f) }
	o = guardedObserver{o, guard}
	if e := bodyio.EncodingOf(resp.Header); e != "" && e != "identity" {
		o = bodyio.Decoding(e, o, guard)
	}
	return bodyio.Observe(resp.Body, o, x.cutOff)
}

// isDelimited tells an answer whose end is marked. One that ends with its connection
// looks the same when it is cut.
func isDelimited(resp *http.Response) bool {
	return resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0 || resp.ProtoMajor > 1
}

// cutOff notes that an answer has ended before its end.
func (x *exchange) cutOff() {
	if x.r.Context().Err() != nil {
		return // it is the client that left
	}
	x.noteAttempt(func(at *record.Attempt) {
		if at.Error == "" {
			at.Error = record.Network
		}
	})
}

// guardedObserver keeps an observer's faults from the answer.
type guardedObserver struct {
	bodyio.Observer
	guard func(func())
}

func (o guardedObserver) Feed(p []byte)  { o.guard(func() { o.Observer.Feed(p) }) }
func (o guardedObserver) End(clean bool) { o.guard(func() { o.Observer.End(clean) }) }

// completion is an answer that began well.
type completion struct {
	p         *Proxy
	x         *exchange
	sent      *sent
	delimited bool
}

// fail takes note of an error inside it.
func (c completion) fail(j failure.Judgement) {
	c.x.noteAttempt(func(at *record.Attempt) { at.Error = record.StreamError })
	c.x.fail(c.sent.subject, j, c.p.attribute(c.x, c.sent, j))
	c.x.commit()
}

func (c completion) succeed() { c.x.succeed(c.sent.subject) }

// streamObserver looks for error events, never at what the model says.
type streamObserver struct {
	completion
	events stream.Scanner
	failed bool
}

func (o *streamObserver) Feed(p []byte) { o.events.Feed(p, o.event) }

func (o *streamObserver) event(e sse.Event) {
	if o.failed {
		return
	}
	if j, ok := o.p.Rules.JudgeEvent(e.Name, e.Data); ok {
		o.failed = true
		o.fail(j)
		return
	}
	if o.sent.subject.api.Ends(e) {
		o.succeed() // a client may leave now, without waiting for the end
	}
}

func (o *streamObserver) End(clean bool) {
	o.events.End(o.event)
	if clean && o.delimited && !o.failed {
		o.succeed()
	}
}

// documentObserver looks at an answer that is one document: only a small one can be an
// error.
type documentObserver struct {
	completion
	body  []byte
	large bool
}

const largestErrorDocument = 256 << 10

func (o *documentObserver) Feed(p []byte) {
	if o.large || len(o.body)+len(p) > largestErrorDocument {
		o.large, o.body = true, nil
		return
	}
	o.body = append(o.body, p...)
}

func (o *documentObserver) End(clean bool) {
	if !clean {
		return
	}
	if j, failed := o.p.Rules.JudgeEvent("", o.body); failed {
		o.fail(j)
		return
	}
	if !o.delimited && !json.Valid(o.body) {
		return // it may be cut
	}
	if o.large && o.sent.subject.request.Stream != "" {
		return // a stream in one document: an error may be in what was not kept
	}
	o.succeed()
}
