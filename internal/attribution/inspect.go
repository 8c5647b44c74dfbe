package attribution

import (
	"slices"
	"strings"

	"imagebreaker/imagehash"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

// maxInspected bounds the work of inspecting images: one can cost a millisecond.
const maxInspected = 256

// Newest are the last of the images, each once, that there is time to inspect. What
// is older has most likely been seen by the API.
func Newest(images []*protocol.Image) []*protocol.Image {
	out := once(images)
	return out[max(0, len(out)-maxInspected):]
}

// overLimit are the images that a text about a limit fits by its numbers: those of
// just the size that it says was sent, or with more pixels than it allows.
func (e Evidence) overLimit(images []*protocol.Image) []*protocol.Image {
	if e.Judgement.Limits.Side > 0 {
		images = Newest(images)
	}
	var out []*protocol.Image
	for _, im := range images {
		if im.Carrier == protocol.Bytes && isOver(im, e.Judgement.Limits) {
			out = append(out, im)
		}
	}
	return out
}

func isOver(im *protocol.Image, l failure.Limits) bool {
	if slices.Contains(l.Said, im.Size) || slices.Contains(l.Said, len(im.Source())) {
		return true
	}
	if l.Side == 0 {
		return false
	}
	look := im.Inspect()
	return max(look.Width, look.Height) > l.Side
}

// broken are the images whose bytes show what is wrong with them.
func (e Evidence) broken(images []*protocol.Image) []*protocol.Image {
	if !showsInBytes(e.Judgement.Reason) {
		return nil
	}
	return slices.DeleteFunc(Newest(images), func(im *protocol.Image) bool { return !shownBroken(e.API, im) })
}

// showsInBytes tells whether what is wrong can be seen in the bytes themselves. A
// limit is not (too large for whom?), nor is what lies elsewhere.
func showsInBytes(reason record.Reason) bool {
	switch reason {
	case record.TooLarge, record.Dimensions, record.Policy, record.TooManyPages:
		return false
	}
	return reason.Group() != record.GroupRoute && reason.Group() != record.GroupURL
}

func shownBroken(api protocol.API, im *protocol.Image) bool {
	if im.Carrier != protocol.Bytes || im.Media != protocol.Picture && im.Media != protocol.Document {
		return false
	}
	look := im.Inspect()
	switch {
	case !look.Decoded:
		return true // no base64
	case im.Media == protocol.Document && mayBeDocument(look.Inspection, im.Label):
		return false
	case look.State == imagehash.Unsupported && protocol.Takes(api, look.Format):
		return false
	}
	return look.State != imagehash.OK || look.Differs(im.Label)
}

// mayBeDocument tells whether inspecting the bytes shows nothing against a document.
// It knows no office files, and text has no form that could be wrong.
func mayBeDocument(look imagehash.Inspection, label string) bool {
	switch look.Format {
	case imagehash.PDF, imagehash.Text:
		return true
	case imagehash.Empty:
		return false
	}
	return strings.HasPrefix(label, "text/") || strings.HasPrefix(label, "application/vnd.") || label == "application/msword"
}

// Undecodable tells an image that cannot be one for the API, whatever decodes it, and
// what it is. A damaged picture is not undecodable: decoders differ in what they
// forgive. An empty reason means that it may be one.
func Undecodable(api protocol.API, im *protocol.Image) (reason record.Reason, what string) {
	if im.Carrier != protocol.Bytes || im.Media != protocol.Picture {
		return "", ""
	}
	look := im.Inspect()
	if !look.Decoded {
		return "", "" // whatever reads it may be more lenient with base64
	}
	switch look.Format {
	case imagehash.Empty:
		reason = record.EmptyImage
	case imagehash.HTML, imagehash.JSON, imagehash.Text, imagehash.LFSPointer:
		reason = record.DecodeFailed
	default:
		if look.State == imagehash.Unsupported && !protocol.Takes(api, look.Format) {
			reason = record.UnsupportedFormat
		}
	}
	return reason, look.Describe(im.Label)
}
