// Package attribution finds out which images of a request a failure is to be put
// down to. It is made of pure functions.
package attribution

import (
	"slices"
	"strings"

	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

// Evidence is what there is to go by.
type Evidence struct {
	Judgement failure.Judgement
	Images    []*protocol.Image // that went up, in the body's order
	API       protocol.API
	// Unverified returns those of some items that have not been seen to go well in
	// the session.
	Unverified func(items [][32]byte) [][32]byte
}

// Attribution is what a failure is put down to.
type Attribution struct {
	Images  []*protocol.Image // that it is put down to
	Whole   bool              // it is about the set, not about one of it
	Certain bool              // named, shown broken, or the only one that is left
	Named   *protocol.Image   // the one of a set that the error names; nil: none
}

// Items are the images' sums, each once.
func (a Attribution) Items() [][32]byte {
	out := make([][32]byte, 0, len(a.Images))
	for _, im := range once(a.Images) {
		out = append(out, im.Sum)
	}
	return out
}

// Primary is the image to name where one has to be named: the one of a set that was named, or the first.
// Nil if there is none.
func (a Attribution) Primary() *protocol.Image {
	if a.Named != nil {
		return a.Named
	}
	if len(a.Images) == 0 {
		return nil
	}
	return a.Images[0]
}

// Find attributes a failure by the first of these that tells: what the error points
// at; what inspecting the bytes shows broken; what has not gone well in this session
// before; everything.
func Find(e Evidence) Attribution {
	named := e.named()
	if e.Judgement.Reason.WholePayload() {
		return Attribution{Images: e.Images, Whole: true, Certain: named != nil, Named: named}
	}
	if named != nil {
		return Attribution{Images: []*protocol.Image{named}, Certain: true}
	}
	suspects := e.suspects()
	unverified := e.unverified(suspects)
	if over := e.overLimit(unverified); len(over) > 0 {
		return Attribution{Images: over, Certain: true}
	}
	if broken := e.broken(unverified); len(broken) > 0 {
		return Attribution{Images: broken, Certain: true}
	}
	if len(unverified) > 0 {
		suspects = unverified
	}
	return Attribution{Images: suspects, Certain: len(once(suspects)) == 1}
}

// named is the image that the error names; nil if it names none of this request.
func (e Evidence) named() *protocol.Image {
	p := e.Judgement.Pointer
	switch {
	case p.Kind != "":
		return protocol.Nth(e.Images, protocol.Media(p.Kind), p.Index)
	case len(p.Path) > 0:
		return protocol.At(e.Images, p.Path)
	case p.URL != "":
		return protocol.AtURL(e.Images, p.URL)
	}
	return nil
}

// suspects are the images that a failure of this kind can be about: one to
// fetch a URL is not about bytes that came along, one to read a PDF not about
// a picture.
func (e Evidence) suspects() []*protocol.Image {
	var some []*protocol.Image
	for _, im := range e.Images {
		if canBeAbout(e.Judgement.Reason, im) {
			some = append(some, im)
		}
	}
	if len(some) == 0 {
		return e.Images // the reason is not to be taken at its word
	}
	return some
}

// canBeAbout goes by the beginnings of reasons, since a user's rules may have others
// of the same kind.
func canBeAbout(reason record.Reason, im *protocol.Image) bool {
	begins := func(s string) bool { return strings.HasPrefix(string(reason), s) }
	switch {
	case begins("fetch_"), reason.Group() == record.GroupURL:
		return im.Carrier == protocol.URL
	case begins("file_"):
		return im.Carrier == protocol.FileID
	case begins("pdf_"), reason == record.TooManyPages:
		return im.Media == protocol.Document
	}
	return true
}

// unverified are those that have not gone well in this session.
func (e Evidence) unverified(images []*protocol.Image) []*protocol.Image {
	items := make([][32]byte, len(images))
	for i, im := range images {
		items[i] = im.Sum
	}
	left := map[[32]byte]bool{}
	for _, it := range e.Unverified(items) {
		left[it] = true
	}
	return slices.DeleteFunc(slices.Clone(images), func(im *protocol.Image) bool { return !left[im.Sum] })
}

// once are the images, each sum once.
func once(images []*protocol.Image) []*protocol.Image {
	var out []*protocol.Image
	seen := map[[32]byte]bool{}
	for _, im := range images {
		if !seen[im.Sum] {
			seen[im.Sum] = true
			out = append(out, im)
		}
	}
	return out
}
