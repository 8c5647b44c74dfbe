package proxy

import (
	"slices"
	"strings"

	"imagebreaker/breaker"
	"imagebreaker/imagehash"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
)

// blame is what a failure is put down to.
type blame struct {
	culprits []*protocol.Image
	whole    bool          // it is about the set, not about one of it
	certain  bool          // named, shown broken, or the only one that is left
	pointed  *breaker.Item // the one that the error names, of a set
}

// items are the culprits' sums, each once.
func (b blame) items() []breaker.Item {
	var out []breaker.Item
	seen := map[breaker.Item]bool{}
	for _, im := range b.culprits {
		if !seen[im.Sum] {
			out = append(out, im.Sum)
		}
		seen[im.Sum] = true
	}
	return out
}

// seen tells what the image is that is to be spoken of: the one that was named,
// or the first.
func (b blame) seen() seen {
	for _, im := range b.culprits {
		if b.pointed == nil || *b.pointed == im.Sum {
			return look(im)
		}
	}
	return seen{}
}

// blame finds the culprits of a failure by the first of these that tells: what
// the error points at; what a look at the bytes shows broken; what has not
// gone well in this session before; everything.
func (x *exchange) blame(j failure.Judgement) blame {
	pointed := x.pointed(j)
	if failure.WholePayload(j.Reason) {
		b := blame{culprits: x.images(), whole: true, certain: pointed != nil}
		if pointed != nil {
			sum := breaker.Item(pointed.Sum)
			b.pointed = &sum
		}
		return b
	}
	if pointed != nil {
		return blame{culprits: []*protocol.Image{pointed}, certain: true}
	}
	suspects := x.suspects(j)
	unproven := x.unproven(suspects)
	if over := overLimit(unproven, j); len(over) > 0 {
		return blame{culprits: over, certain: true}
	}
	if broken := x.broken(unproven, j); len(broken) > 0 {
		return blame{culprits: broken, certain: true}
	}
	if len(unproven) > 0 {
		suspects = unproven
	}
	b := blame{culprits: suspects}
	b.certain = len(b.items()) == 1
	return b
}

// images are those that are still in the request.
func (x *exchange) images() []*protocol.Image {
	var out []*protocol.Image
	for i := range x.req.Images {
		if im := &x.req.Images[i]; !x.gone.has(im) {
			out = append(out, im)
		}
	}
	return out
}

// pointed is the image that the error names; nil if it names none of this request.
func (x *exchange) pointed(j failure.Judgement) *protocol.Image {
	p, images := j.Pointer, x.images()
	switch {
	case p.Kind != "":
		return protocol.Nth(images, protocol.Media(p.Kind), p.Index)
	case len(p.Path) > 0:
		return protocol.At(images, p.Path)
	case p.URL != "":
		return protocol.AtURL(images, p.URL)
	}
	return nil
}

// suspects are the images that a failure of this kind can be about: one to
// fetch a URL is not about bytes that came along, one to read a PDF not about
// a picture.
func (x *exchange) suspects(j failure.Judgement) []*protocol.Image {
	all := x.images()
	var some []*protocol.Image
	for _, im := range all {
		if canBeAbout(j.Reason, im) {
			some = append(some, im)
		}
	}
	if len(some) == 0 {
		return all // the reason is not to be taken at its word
	}
	return some
}

func canBeAbout(reason string, im *protocol.Image) bool {
	switch {
	case strings.HasPrefix(reason, "fetch_"), failure.GroupOf(reason) == failure.GroupURL:
		return im.Carrier == protocol.URL
	case strings.HasPrefix(reason, "file_"):
		return im.Carrier == protocol.FileID
	case strings.HasPrefix(reason, "pdf_"), reason == "too_many_pages":
		return im.Media == protocol.Document
	}
	return true
}

// unproven are those that have not gone well in this session.
func (x *exchange) unproven(images []*protocol.Image) []*protocol.Image {
	items := make([]breaker.Item, len(images))
	for i, im := range images {
		items[i] = im.Sum
	}
	left := map[breaker.Item]bool{}
	for _, it := range x.p.breaker.Unproven(x.req.Session, items) {
		left[it] = true
	}
	return slices.DeleteFunc(slices.Clone(images), func(im *protocol.Image) bool { return !left[im.Sum] })
}

// broken are the images whose bytes show what is wrong with them.
func (x *exchange) broken(images []*protocol.Image, j failure.Judgement) []*protocol.Image {
	if !lookTells(j.Reason) {
		return nil
	}
	var out []*protocol.Image
	for _, im := range newest(images) {
		if shownBroken(x.api, im) {
			out = append(out, im)
		}
	}
	return out
}

// maxLooks bounds the work of looking at images: one can cost a millisecond.
const maxLooks = 256

// newest are the last of the images, each once, that there is time to look at.
// What is older has most likely been seen by the API.
func newest(images []*protocol.Image) []*protocol.Image {
	var out []*protocol.Image
	seen := map[imagehash.Sum]bool{}
	for _, im := range images {
		if !seen[im.Sum] {
			seen[im.Sum] = true
			out = append(out, im)
		}
	}
	return out[max(0, len(out)-maxLooks):]
}

// overLimit are the images that a text about a limit fits by its numbers: those
// of just the size that it says was sent, or with more pixels than it allows.
func overLimit(images []*protocol.Image, j failure.Judgement) []*protocol.Image {
	if j.Limits.Side > 0 {
		images = newest(images)
	}
	var out []*protocol.Image
	for _, im := range images {
		if im.Carrier == protocol.Bytes && isOver(im, j.Limits) {
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

// lookTells tells whether what is wrong can be seen in the bytes themselves. A
// limit is not (too large for whom?), nor is what lies elsewhere.
func lookTells(reason string) bool {
	switch reason {
	case "too_large", "dimensions", "policy", "too_many_pages":
		return false
	}
	switch failure.GroupOf(reason) {
	case failure.GroupRoute, failure.GroupURL:
		return false
	}
	return true
}

func shownBroken(api protocol.API, im *protocol.Image) bool {
	if im.Carrier != protocol.Bytes || im.Media != protocol.Picture && im.Media != protocol.Document {
		return false
	}
	look := im.Inspect()
	if !look.Decoded {
		return true // no base64
	}
	if im.Media == protocol.Document && mayBeDocument(look.Look, im.Label) {
		return false
	}
	if look.State == imagehash.Unsupported && protocol.Takes(api, look.Format) {
		return false
	}
	return look.State != imagehash.OK || look.Differs(im.Label)
}

// mayBeDocument tells whether a look shows nothing against a document. It knows
// no office files, and text has no form that could be wrong.
func mayBeDocument(look imagehash.Look, label string) bool {
	switch look.Format {
	case imagehash.PDF, imagehash.Text:
		return true
	case imagehash.Empty:
		return false
	}
	return strings.HasPrefix(label, "text/") || strings.HasPrefix(label, "application/vnd.") || label == "application/msword"
}
