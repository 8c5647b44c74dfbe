package proxy

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"

	"imagebreaker/breaker"
	"imagebreaker/internal/protocol"
)

// form is what becomes of a request that is held.
type form int

const (
	asTurn    form = iota // a finished assistant turn
	asError               // a 400 with the upstream's words
	asPointed             // a 400 with the exact path of the image in this body
	asRepair              // the image is replaced, and the request goes on
)

// formFor picks what does a client the least harm and tells its user the most.
// The first line that fits decides; each was measured with real clients.
// repeat says that the request is the failed turn once more.
func formFor(style Style, q *protocol.Request, repeat bool) form {
	switch {
	case style == Repair:
		return asRepair
	case style == Auto && q.Kind == protocol.Count:
		return asRepair // it is no turn: nobody would read an answer
	case style == Auto && q.SelfRepair:
		return asPointed // the client removes exactly that image and goes on
	case style != Failed && q.Kind == protocol.Compact:
		return asRepair // an answer would become the agent's whole memory
	case style == Auto && !repeat && (q.Session != "" || q.Tools):
		return asRepair // an agent whose history holds the image
	}
	return formOfAnswer(style, q)
}

// formOfAnswer picks between the answers that need no upstream.
func formOfAnswer(style Style, q *protocol.Request) form {
	switch {
	case style == Failed, q.Kind != protocol.Generate, q.JSON, q.Chained:
		return asError // prose would be no answer to what was asked, or a dead end
	case style != Message && q.SelfRepair:
		return asPointed
	case style != Message && q.Session == "":
		return asError // a program would take prose for the model's words
	}
	return asTurn
}

// hold handles a request that an entry holds, or one with images that are
// replaced in its session. It returns true if it has answered it; else the
// request goes on, with x.sent as its body.
func (x *exchange) hold() bool {
	held := x.decision.Held
	if len(held) == 0 {
		x.goOn()
		return false
	}
	if formFor(x.p.Reply, x.req, x.repeats(held)) == asRepair && x.repairFor(held) {
		return false
	}
	return x.answer(held[0], formOfAnswer(x.p.Reply, x.req))
}

// repeats tells whether the request is the failed turn of one of the entries
// once more.
func (x *exchange) repeats(entries []breaker.Entry[memo]) bool {
	if len(entries) == 0 {
		return false
	}
	conversation := x.req.Conversation()
	for _, e := range entries {
		if e.Info.conversation == conversation {
			return true
		}
	}
	return false
}

// answer answers in the upstream's place. It returns false if it cannot, and
// then nothing has been written.
func (x *exchange) answer(entry breaker.Entry[memo], f form) bool {
	image := x.culprit(entry)
	if image == nil {
		return false
	}
	status, contentType, reply := http.StatusBadRequest, "application/json", "error"
	var body []byte
	switch {
	case f == asPointed && image.Path != "":
		reply = "pointed"
		body = x.api.Error(protocol.Error{Status: status, Message: image.Path + ": Could not process image (" + x.brief(entry, image) + ")"})
	case f == asTurn:
		status, reply = http.StatusOK, "message"
		r := protocol.Reply{ID: newID(), Model: x.req.Model, Text: x.explanation(entry, image), Time: x.p.Now(), Stream: x.req.Stream, Usage: x.req.StreamUsage}
		if body = x.api.Turn(r); r.Stream != "" {
			body, contentType = x.api.TurnStream(r), string(r.Stream)
		}
	default:
		words := orSilent(entry.Info.words, entry.Info.reason)
		body = x.api.Error(protocol.Error{Status: status, Message: words + " (" + x.brief(entry, image) + ")", Code: entry.Info.code})
	}
	x.decision.Held = x.p.breaker.Hold(x.decision.Held)
	x.avoids(ByHolding, entry.Info.reason, 0)
	x.outcome.held, x.outcome.reply, x.outcome.clientStatus = &x.decision.Held[0], reply, status
	h := x.rw.Header()
	mark(h, "short-circuited", entry.Info.reason, entry.Signature.String())
	if status != http.StatusOK {
		h.Set("X-Should-Retry", "false")
	}
	if contentType == "text/event-stream" {
		h.Set("Cache-Control", "no-cache")
	}
	x.log() // before the client can come back
	x.write(status, contentType, body)
	return true
}

// culprit is the image to speak of: the one that the upstream named, else the
// first in the body that is to blame.
func (x *exchange) culprit(entry breaker.Entry[memo]) *protocol.Image {
	blamed := make(map[breaker.Item]bool, len(entry.Culprits))
	for _, it := range entry.Culprits {
		blamed[it] = true
	}
	var first *protocol.Image
	for i := range x.req.Images {
		im := &x.req.Images[i]
		if p := entry.Info.pointed; p != nil && *p == im.Sum {
			return im
		}
		if first == nil && blamed[im.Sum] {
			first = im
		}
	}
	return first
}

// mark says in a header what was done and why.
func mark(h http.Header, action, reason, signature string) {
	h.Set("X-Imagebreaker", action+"; reason="+reason+"; signature="+signature)
}

// newID is an id for an invented answer.
func newID() string {
	var b [12]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// codeOf is an upstream's error code if it is one: a short slug, no text.
func codeOf(code string) string {
	if len(code) > 64 {
		return ""
	}
	for _, r := range code {
		if r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return ""
		}
	}
	return code
}
