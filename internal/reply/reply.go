// Package reply writes the answers that are given in an upstream's place: what is on
// the wire, and the texts in it that a person or a model reads. It sends nothing.
package reply

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"time"

	"imagebreaker/breaker"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

// Rejection is a request that an open entry rejects.
type Rejection struct {
	API     protocol.API
	Request *protocol.Request
	Image   *protocol.Image // the one that the answer names: see PrimaryImage
	Entry   breaker.Entry[record.FailureInfo]
	Address string // where the proxy listens; empty: nobody can ask it to forget
	Time    time.Time
}

// Answer is an answer of our own.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Form   record.Reply // empty: it is what the upstream's would have been
}

// PrimaryImage is the image to name in the answer to a request that an entry rejects: the one that
// the upstream named, else the first in the body that the failure is attributed to.
// Nil if there is none.
func PrimaryImage(e breaker.Entry[record.FailureInfo], images []*protocol.Image) *protocol.Image {
	attributed := make(map[[32]byte]bool, len(e.Items))
	for _, it := range e.Items {
		attributed[it] = true
	}
	var first *protocol.Image
	for _, im := range images {
		if n := e.Info.Named; n != nil && *n == im.Sum {
			return im
		}
		if first == nil && attributed[im.Sum] {
			first = im
		}
	}
	return first
}

// Write writes the answer of a kind that needs no upstream.
func (r Rejection) Write(kind policy.Kind) Answer {
	a := Answer{Status: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}}, Form: record.ReplyError}
	switch {
	case kind == policy.Annotated && r.Image.Path != "":
		a.Form = record.ReplyAnnotated
		a.Body = r.API.Error(protocol.Error{Status: a.Status, Message: r.Image.Path + ": Could not process image (" + r.brief() + ")"})
	case kind == policy.Completion:
		r.writeCompletion(&a)
	default:
		a.Body = r.API.Error(protocol.Error{Status: a.Status, Message: Message(r.Entry.Info.Message, r.Entry.Info.Reason) + " (" + r.brief() + ")", Code: r.Entry.Info.Code})
	}
	Mark(a.Header, record.ActionShortCircuited, r.Entry.Info.Reason, r.Entry.Signature.String())
	if a.Status != http.StatusOK {
		a.Header.Set("X-Should-Retry", "false")
		protocol.SetErrorHeader(a.Header, r.API, a.Status)
	}
	return a
}

// writeCompletion writes a finished assistant message in the form that was asked for.
func (r Rejection) writeCompletion(a *Answer) {
	a.Status, a.Form = http.StatusOK, record.ReplyMessage
	m := protocol.Reply{ID: newID(), Model: r.Request.Model, Text: r.explanation(), Time: r.Time, Stream: r.Request.Stream, Usage: r.Request.StreamUsage}
	if m.Stream == "" {
		a.Body = r.API.Turn(m)
		return
	}
	a.Body = r.API.TurnStream(m)
	a.Header.Set("Content-Type", string(m.Stream))
	if m.Stream == "text/event-stream" {
		a.Header.Set("Cache-Control", "no-cache")
	}
}

// Mark says in a header what was done and why.
func Mark(h http.Header, did record.Action, reason record.Reason, signature string) {
	h.Set("X-Imagebreaker", string(did)+"; reason="+string(reason)+"; signature="+signature)
}

// Failure is an answer in the API's error envelope, for an upstream that gave none. It
// has no form.
func Failure(api protocol.API, e protocol.Error) Answer {
	a := Answer{Status: e.Status, Header: http.Header{"Content-Type": {"application/json"}}, Body: api.Error(e)}
	protocol.SetErrorHeader(a.Header, api, e.Status)
	return a
}

// WriteTo sends the answer. That a client has left is no error here.
func (a Answer) WriteTo(w http.ResponseWriter) {
	h := w.Header()
	delete(h, "Date") // the server's own
	for name, values := range a.Header {
		h[name] = values
	}
	w.WriteHeader(a.Status)
	w.Write(a.Body)
}

// newID is an id for an invented answer.
func newID() string {
	var b [12]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
