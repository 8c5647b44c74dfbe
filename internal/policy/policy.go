// Package policy decides what a client gets: the product's central table. It is made
// of pure functions.
package policy

import (
	"imagebreaker/internal/attribution"
	"imagebreaker/internal/protocol"
)

// Mode is the switch of the whole program.
type Mode string

// The modes.
const (
	On     Mode = "on"      // everything
	Off    Mode = "off"     // a plain proxy: nothing is read, kept or logged
	DryRun Mode = "dry-run" // everything is observed and logged, nothing is changed
)

// Style is how requests are answered that would only fail again.
type Style string

// The styles.
const (
	Auto    Style = "auto"    // what suits the client best
	Message Style = "message" // a finished assistant message
	Failed  Style = "error"   // a 400 with the upstream's own words
	Repair  Style = "repair"  // the image is substituted and the request goes on
)

// Kind is what becomes of a request that an open entry rejects.
type Kind int

const (
	Completion Kind = iota // it gets a finished assistant message
	Error                  // it gets a 400 with the upstream's words
	Annotated              // it gets a 400 with the exact path of the image in this body
	Substitute             // it goes on with placeholders for the images
)

// Choose picks what does a client the least harm and tells its user the most. The
// first line that fits decides; each was measured with real clients. repeat says
// that the request is the failed turn once more.
func Choose(style Style, q *protocol.Request, repeat bool) Kind {
	switch {
	case style == Repair:
		return Substitute
	case style == Auto && q.Kind == protocol.Count:
		return Substitute // it is no turn: nobody would read an answer
	case style == Auto && q.SelfRepair:
		return Annotated // the client removes exactly that image and goes on
	case style != Failed && q.Kind == protocol.Compact:
		return Substitute // an answer would become the agent's whole memory
	case style == Auto && !repeat && isAgent(q):
		return Substitute // its history holds the image
	}
	return Answer(style, q)
}

// Answer picks between the answers that need no upstream.
func Answer(style Style, q *protocol.Request) Kind {
	switch {
	case style == Failed, q.Kind != protocol.Generate, q.JSON, q.Chained:
		return Error // prose would be no answer to what was asked, or a dead end
	case style != Message && q.SelfRepair:
		return Annotated
	case style != Message && q.Session == "":
		return Error // a program would take prose for the model's words
	}
	return Completion
}

// Sticky tells whether images that were substituted in the session stay so in this
// request: wherever the style substitutes at all. One that comes and goes would break
// prompt caches and signatures.
func Sticky(style Style, q *protocol.Request) bool {
	return style == Repair ||
		style == Auto && (q.Kind != protocol.Generate || !q.SelfRepair && isAgent(q))
}

// isAgent tells an agent's request from a program's.
func isAgent(q *protocol.Request) bool { return q.Session != "" || q.Tools }

// Reaction is what becomes of an error answer whose failure is remembered now.
type Reaction int

const (
	Untouched Reaction = iota // the client gets it as it is
	Annotate                  // the client gets it with the image's path, if Path has one
	Downgrade                 // the client gets a 400 in its place: every client retries a 5xx
	Resend                    // the request goes up again with placeholders
)

// React decides about a failure with this status. mayResend says that the request
// can go up again.
func React(mode Mode, style Style, status int, mayResend bool) Reaction {
	switch {
	case mode != On:
		return Untouched
	case style == Repair && mayResend:
		return Resend
	case status >= 500:
		return Downgrade
	}
	return Annotate
}

// Path is what an error's message has to begin with so that the client removes the
// image that it is attributed to, and nothing else. It is empty if the client does no
// such thing, if the message says it anyway, or if the attribution is not certain.
// Without a path Claude Code throws away every image of the message (measured).
func Path(q *protocol.Request, a attribution.Attribution, message string) string {
	if !q.SelfRepair || !a.Certain || a.Whole || a.Images[0].Path == "" || protocol.NamesBlock(message) {
		return ""
	}
	return a.Images[0].Path + ": "
}
