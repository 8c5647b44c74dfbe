package substitution

import (
	"bytes"

	"imagebreaker/imagehash"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

// Set is the images that placeholders stand for, by their sums, with why.
type Set map[[32]byte]Mark

// Has tells whether a placeholder stands for the image.
func (s Set) Has(im *protocol.Image) bool { _, ok := s[im.Sum]; return ok }

// Kept are those of the images for which no placeholder stands.
func (s Set) Kept(images []*protocol.Image) []*protocol.Image {
	var out []*protocol.Image
	for _, im := range images {
		if !s.Has(im) {
			out = append(out, im)
		}
	}
	return out
}

// Text is what stands in an image's place. Its words depend on the sum alone, so
// that it is the same in every later request, in every API and after a restart:
// prompt caches and signed answers stay valid.
func Text(sum imagehash.Sum) string {
	return "[imagebreaker removed a media file here (sum " + sum.Short() + "): the API cannot process it. " +
		"It may be damaged or of a kind that is not supported. Do not read it again; " +
		"look at the file with a shell command, or go on without it.]"
}

// Splice returns the body with placeholders for the images of the set; every other
// byte is as the client sent it. It returns false if the API takes no text where one
// of them is.
func Splice(a protocol.API, images []*protocol.Image, body []byte, set Set) ([]byte, bool) {
	var gone []*protocol.Image
	for _, im := range images {
		if set.Has(im) {
			gone = append(gone, im)
		}
	}
	edits, ok := protocol.Substitute(a, gone, func(im *protocol.Image) string { return Text(im.Sum) })
	if !ok {
		return nil, false
	}
	var out bytes.Buffer
	out.Grow(len(body))
	from := 0
	for _, e := range edits {
		out.Write(body[from:e.Start])
		out.Write(e.Text)
		from = e.End
	}
	out.Write(body[from:])
	return out.Bytes(), true
}

// Placeholders lists the set as it stands in the body, each image once.
func (s Set) Placeholders(images []*protocol.Image) []record.Placeholder {
	var out []record.Placeholder
	listed := map[imagehash.Sum]bool{}
	for _, im := range images {
		mark, ok := s[im.Sum]
		if ok && !listed[im.Sum] {
			listed[im.Sum] = true
			out = append(out, record.Placeholder{Sum: im.Sum.Log(), Signature: mark.Signature, Reason: mark.Reason, Unsure: mark.Unsure})
		}
	}
	return out
}
