// Package failure judges an upstream's error answer: is it the fault of the
// request's media, and will it be so for ever? It reads words only. It knows no
// connection, no clock, no request and no image, and it never looks at what a
// model wrote: an agent that debugs this very fault quotes every phrase below.
package failure

import "imagebreaker/internal/record"

// Answer is an upstream's answer as it came, decoded but not redacted. The zero
// value is judged None.
type Answer struct {
	Status      int    // HTTP status; 0 is taken for an error answer of unknown status
	ContentType string // as sent; may be wrong or empty
	ErrorType   string // header x-amzn-errortype; may be empty
	Body        []byte // may be cut short, and may have long base64 runs elided as "…"
}

// Pointer names the culprit as an upstream numbers it, counted from 0. The zero
// value names nothing.
type Pointer struct {
	// Path is the index of the message (or input item, or content), then of the
	// part in it, then of the part inside a tool result. A path of one index
	// names a message and leaves open which of its parts.
	Path []int
	// Kind is "image", "video" or "audio" when the upstream counts the items of
	// each kind by themselves (SGLang): Index is then the item's number. Else "".
	Kind  string
	Index int
	// URL is the whole address that the text names as the one that could not be
	// used; "" if the text has none, or has it redacted or cut. It may carry a
	// signature: never log it, never show it.
	URL string
}

// Judgement is what Judge found out.
type Judgement struct {
	Verdict record.Verdict
	Reason  record.Reason // never ""
	// PointsAt is the pointer as text: messages.10.content.0.tool_result.content.0,
	// input[2].content[0], contents[0].parts[2], IMAGE[0], messages.1, or a form
	// field's name. "" if the answer names no culprit.
	PointsAt string
	Pointer  Pointer
	Rule     string   // name of the rule that decided
	Layers   []string // envelopes that were unwrapped, outermost first
	Message  string   // the innermost message, raw: may hold URLs and payload
	Code     string   // the error code (else the type) beside it; "" if none
	Limits   Limits
}
