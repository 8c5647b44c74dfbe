package proxy

import (
	"fmt"
	"strings"

	"imagebreaker/breaker"
	"imagebreaker/internal/protocol"
)

// explanation is what a person reads in the place of a model's answer: which
// image, what is wrong with it, what the upstream said, that nothing was sent,
// and what to do now.
func (x *exchange) explanation(entry breaker.Entry[memo], im *protocol.Image) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[imagebreaker] %s cannot be processed, so this request was not sent.\n\n", capital(subject(im)))
	fmt.Fprintf(&b, "- What it is: %s.\n", entry.Info.details(im))
	if n := len(entry.Culprits); n > 1 && !entry.Info.names(im) {
		fmt.Fprintf(&b, "- The upstream did not say which of %d it means; this is the first of them.\n", n)
	}
	fmt.Fprintf(&b, "- What the upstream answered when it got it: “%s” (%s).\n", orSilent(entry.Info.words, entry.Info.reason), entry.Info.reason)
	b.WriteString("- Sending it again would fail again. Nothing was uploaded and no tokens were used for this answer.\n\n")
	fmt.Fprintf(&b, "What to do: go on without it, or repair the file and send it again; changed bytes are tried at once. %s\n", x.undo(entry))
	return b.String()
}

// names tells whether the failure of a set was put down to this image.
func (m memo) names(im *protocol.Image) bool { return m.pointed != nil && *m.pointed == im.Sum }

// brief says the same in a few words, for an error message. Claude Code passes
// the first 200 characters on to its model.
func (x *exchange) brief(entry breaker.Entry[memo], im *protocol.Image) string {
	return fmt.Sprintf("%s: %s; refused before as %s, not sent again by imagebreaker. %s",
		subject(im), entry.Info.details(im), entry.Info.reason, x.undo(entry))
}

// undo is the command that lifts a verdict which was wrong.
func (x *exchange) undo(entry breaker.Entry[memo]) string {
	if x.p.Address == "" {
		return "It is tried again when the cool-off is over."
	}
	return fmt.Sprintf("To have it tried again now: curl -X DELETE %s/-/breakers/%s", x.p.Address, entry.Signature)
}

// subject is what the image is called.
func subject(im *protocol.Image) string {
	what := "the " + string(im.Media)
	if name := im.Name(); name != "" {
		return what + " " + name
	}
	return what
}

// details are the size, what the bytes are, and the sum.
func (m memo) details(im *protocol.Image) string {
	what := m.image.what
	if !m.image.is(im) {
		what = look(im).what
	}
	return what + ", sum " + im.Sum.Short()
}

// seen is what a look at an image has shown. It is remembered, since a look costs
// as much as all the rest of a held request.
type seen struct {
	sum         breaker.Item
	label, what string // the media type that it had, and its size and what the bytes are
}

// maxLabel bounds the labels that are remembered, in bytes.
const maxLabel = 64

func (s seen) is(im *protocol.Image) bool {
	return s.sum == im.Sum && s.label == im.Label && len(im.Label) <= maxLabel
}

func look(im *protocol.Image) seen {
	label := im.Label[:min(len(im.Label), maxLabel)]
	return seen{im.Sum, strings.Clone(label), strings.Join(looks(im), ", ")}
}

// looks are the size and what the bytes are.
func looks(im *protocol.Image) []string {
	switch im.Carrier {
	case protocol.URL:
		return []string{"a remote address"}
	case protocol.FileID:
		return []string{"an uploaded file"}
	}
	look := im.Inspect()
	if !look.Decoded {
		return []string{"no valid base64"}
	}
	size := fmt.Sprintf("%d bytes", im.Size)
	if im.Media == protocol.Audio || im.Media == protocol.Video {
		return []string{size}
	}
	return []string{size, look.Describe(im.Label)}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
