package proxy

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"sync"

	"imagebreaker/internal/failure"
	"imagebreaker/internal/stream"
	"imagebreaker/sse"
)

// tapped is an answer's body that is watched as it passes. It changes no byte
// and delays none.
type tapped struct {
	io.ReadCloser
	feed func([]byte)
	end  func(clean bool) // once: after the body's own end, or when it breaks off
	cut  func()           // before end: the upstream broke off; nil: nobody asks
	over sync.Once
}

func (t *tapped) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.feed(p[:n])
	if err != nil {
		t.over.Do(func() {
			if err != io.EOF && t.cut != nil {
				t.cut()
			}
			t.end(err == io.EOF)
		})
	}
	return n, err
}

func (t *tapped) Close() error {
	err := t.ReadCloser.Close()
	t.over.Do(func() { t.end(false) })
	return err
}

// tap watches an answer that began well, for an error inside it and for its
// good end.
func (x *exchange) tap(resp *http.Response) {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	events := stream.Of(kind)
	if events == nil && kind != "application/json" {
		events = stream.Of(string(x.req.Stream)) // a stream under a wrong name
	}
	var w watcher = &documentWatch{x: x, framed: framed(resp)}
	if events != nil {
		w = &streamWatch{x: x, events: events, framed: framed(resp)}
	}
	safe := func(f func()) { x.safely("watch", f) }
	w = safeWatch{w, safe}
	if enc := encodingOf(resp.Header); enc != "" && enc != "identity" {
		w = newInflating(enc, w, safe)
	}
	resp.Body = &tapped{
		ReadCloser: resp.Body,
		feed:       w.feed,
		end:        w.end,
		cut:        x.brokeOff,
	}
}

// framed tells an answer whose end is marked. One that ends with its connection
// looks the same when it is cut.
func framed(resp *http.Response) bool {
	return resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0 || resp.ProtoMajor > 1
}

// brokeOff notes that an answer has ended before its end.
func (x *exchange) brokeOff() {
	if x.in.Context().Err() == nil && x.outcome.errorKind == "" { // else it is the client that left
		x.outcome.errorKind = network
	}
}

// watcher gets a passing answer, without its encoding.
type watcher interface {
	feed(p []byte)
	end(clean bool)
}

// safeWatch keeps a watcher's faults from the answer.
type safeWatch struct {
	watcher
	safely func(func())
}

func (w safeWatch) feed(p []byte)  { w.safely(func() { w.watcher.feed(p) }) }
func (w safeWatch) end(clean bool) { w.safely(func() { w.watcher.end(clean) }) }

// streamWatch looks for error events, never at what the model says.
type streamWatch struct {
	x      *exchange
	events stream.Scanner
	framed bool
	failed bool
}

func (w *streamWatch) feed(p []byte) { w.events.Feed(p, w.event) }

func (w *streamWatch) event(e sse.Event) {
	if w.failed {
		return
	}
	if j, ok := w.x.p.Rules.JudgeEvent(e.Name, e.Data); ok {
		w.failed = true
		w.x.failedInside(j)
		return
	}
	if w.x.api.Ends(e) {
		w.x.succeed() // a client may leave now, without waiting for the end
	}
}

func (w *streamWatch) end(clean bool) {
	w.events.End(w.event)
	if clean && w.framed && !w.failed {
		w.x.succeed()
	}
}

// failedInside notes an error inside an answer that began with a 2xx.
func (x *exchange) failedInside(j failure.Judgement) {
	x.outcome.errorKind = streamError
	x.outcome.verdict, x.outcome.reason = j.Verdict, j.Reason
	if len(x.items()) > 0 {
		x.fail(j)
	}
	x.log()
}

// documentWatch looks at an answer that is one document: only a small one can
// be an error.
type documentWatch struct {
	x      *exchange
	framed bool
	body   []byte
	large  bool
}

const largestErrorDocument = 256 << 10

func (w *documentWatch) feed(p []byte) {
	if w.large || len(w.body)+len(p) > largestErrorDocument {
		w.large, w.body = true, nil
		return
	}
	w.body = append(w.body, p...)
}

func (w *documentWatch) end(clean bool) {
	if !clean {
		return
	}
	if j, failed := w.x.p.Rules.JudgeEvent("", w.body); failed {
		w.x.failedInside(j)
		return
	}
	if !w.framed && !json.Valid(w.body) {
		return // it may be cut
	}
	if w.large && w.x.req.Stream != "" {
		return // a stream in one document: an error may be in what was not kept
	}
	w.x.succeed()
}

// inflating gives a watcher the answer without its encoding. The work is done
// beside the answer's way, which waits at most for the piece in hand.
type inflating struct {
	to     watcher
	safely func(func()) // a decoder that fails on odd bytes must not end the program
	in     *io.PipeWriter
	done   chan struct{}
}

func newInflating(encoding string, to watcher, safely func(func())) *inflating {
	r, w := io.Pipe()
	i := &inflating{to: to, safely: safely, in: w, done: make(chan struct{})}
	go i.run(encoding, r)
	return i
}

func (i *inflating) run(encoding string, r *io.PipeReader) {
	defer close(i.done)
	defer io.Copy(io.Discard, r) // whatever stops the reading must not stop the answer
	i.safely(func() { i.inflate(encoding, r) })
}

func (i *inflating) inflate(encoding string, r io.Reader) {
	plain, err := decoded(encoding, r)
	if err != nil {
		return
	}
	buf := make([]byte, 16<<10)
	for {
		n, err := plain.Read(buf)
		if n > 0 {
			i.to.feed(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (i *inflating) feed(p []byte) {
	i.in.Write(p) // the reader takes everything
}

func (i *inflating) end(clean bool) {
	i.in.Close()
	<-i.done
	i.to.end(clean)
}
