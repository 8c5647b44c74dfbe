package reply

import (
	"fmt"
	"strings"

	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

// explanation is what a person reads in the place of a model's answer: which
// image, what is wrong with it, what the upstream said, that nothing was sent,
// and what to do now.
func (r Rejection) explanation() string {
	info := &r.Entry.Info
	var b strings.Builder
	fmt.Fprintf(&b, "[imagebreaker] %s cannot be processed, so this request was not sent.\n\n", capital(subject(r.Image)))
	fmt.Fprintf(&b, "- What it is: %s.\n", details(info, r.Image))
	if n := len(r.Entry.Items); n > 1 && (info.Named == nil || *info.Named != r.Image.Sum) {
		fmt.Fprintf(&b, "- The upstream did not say which of %d it means; this is the first of them.\n", n)
	}
	fmt.Fprintf(&b, "- What the upstream answered when it got it: “%s” (%s).\n", Message(info.Message, info.Reason), info.Reason)
	b.WriteString("- Sending it again would fail again. Nothing was uploaded and no tokens were used for this answer.\n\n")
	fmt.Fprintf(&b, "What to do: go on without it, or repair the file and send it again; changed bytes are tried at once. %s\n", r.undo())
	return b.String()
}

// brief says the same in a few words, for an error message. Claude Code passes
// the first 200 characters on to its model.
func (r Rejection) brief() string {
	return fmt.Sprintf("%s: %s; refused before as %s, not sent again by imagebreaker. %s",
		subject(r.Image), details(&r.Entry.Info, r.Image), r.Entry.Info.Reason, r.undo())
}

// undo is the command that lifts a verdict which was wrong.
func (r Rejection) undo() string {
	if r.Address == "" {
		return "It is tried again when the cool-off is over."
	}
	return fmt.Sprintf("To have it tried again now: curl -X DELETE %s/-/breakers/%s", r.Address, r.Entry.Signature)
}

// Message is an upstream's words, or what the verdict says where it said nothing
// that may be shown.
func Message(words string, reason record.Reason) string {
	if words == "" {
		return "the upstream could not process an image of this request (" + string(reason) + ")"
	}
	return words
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
func details(info *record.FailureInfo, im *protocol.Image) string {
	what := info.Image.What
	if info.Image.Sum != im.Sum || info.Image.Label != im.Label {
		what = Describe(im).What
	}
	return what + ", sum " + im.Sum.Short()
}

// maxLabel bounds the labels that are remembered, in bytes. A longer one is looked
// at anew each time.
const maxLabel = 64

// Describe says what an image is, for people.
func Describe(im *protocol.Image) record.ImageInfo {
	label := strings.Clone(im.Label[:min(len(im.Label), maxLabel)])
	return record.ImageInfo{Sum: im.Sum, Label: label, What: whatIs(im)}
}

// whatIs is the size and what the bytes are.
func whatIs(im *protocol.Image) string {
	switch im.Carrier {
	case protocol.URL:
		return "a remote address"
	case protocol.FileID:
		return "an uploaded file"
	}
	look := im.Inspect()
	switch {
	case !look.Decoded:
		return "no valid base64"
	case im.Media == protocol.Audio, im.Media == protocol.Video:
		return fmt.Sprintf("%d bytes", im.Size)
	}
	return fmt.Sprintf("%d bytes, %s", im.Size, look.Describe(im.Label))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
