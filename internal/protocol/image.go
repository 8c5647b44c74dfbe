package protocol

import (
	"cmp"
	"slices"
	"strings"

	"imagebreaker/imagehash"
	"imagebreaker/internal/jsontree"
)

// Media is the kind of a media part.
type Media string

const (
	Picture  Media = "image"
	Document Media = "document"
	Audio    Media = "audio"
	Video    Media = "video"
)

// Carrier is how a media part carries its content.
type Carrier string

const (
	Bytes  Carrier = "bytes"   // base64 or a data URL
	URL    Carrier = "url"     // a remote URL
	FileID Carrier = "file_id" // of an upload
)

// Image is one media part of a request.
type Image struct {
	Sum     imagehash.Sum
	Media   Media
	Carrier Carrier
	Label   string // the declared media type, lower case; may be empty
	Size    int    // in bytes, decoded; 0 if the content is not in the request
	// Place is the index, from 0, of the message (input item, content), of the part in
	// it, of the part inside that part's result, and so on.
	Place []int
	// Path is how errors of the API name the part's content; empty if the API has no
	// such paths.
	Path string

	part   jsontree.Node   // the whole part, which a placeholder replaces
	source jsontree.Node   // the string with the content
	near   []jsontree.Node // see Name
	name   string          // as the part declares it; may be empty
	// Only if no placeholder can replace the part: the list that it is in, the object
	// that holds this list and a text, and the name of the text's member.
	list, home jsontree.Node
	textName   string

	inspect func() Inspection // inspectOnce, once
}

// Inspection is the result of inspecting an image's bytes.
type Inspection struct {
	// Decoded says that there are bytes: the request carries them, as valid base64.
	Decoded bool
	// Inspection is what the bytes are. The zero value where there are none, and for
	// audio and video, which nobody looks at.
	imagehash.Inspection
}

// Inspect returns what the image's bytes are. They are decoded and inspected once per
// request, when it is called first.
func (im *Image) Inspect() Inspection { return im.inspect() }

func (im *Image) inspectOnce() Inspection {
	if im.Carrier != Bytes {
		return Inspection{}
	}
	data, err := imagehash.DecodeBase64(im.Source())
	if err != nil {
		return Inspection{}
	}
	if im.Media == Audio || im.Media == Video {
		return Inspection{Decoded: true}
	}
	return Inspection{Decoded: true, Inspection: imagehash.Inspect(data)}
}

// outsideMessages is the place of what is in no message: a system prompt, a template's
// variables. No upstream was seen to point there.
const outsideMessages = -1

// Span returns the part's byte offsets in the body.
func (im *Image) Span() (start, end int) { return im.part.Span() }

// Source returns the content as sent, with JSON escapes decoded: base64 text, a data
// URL, a URL, a file id.
func (im *Image) Source() []byte { return im.source.Text() }

// Items returns the sums of the images, in their order.
func (r *Request) Items() [][32]byte {
	out := make([][32]byte, len(r.Images))
	for i := range r.Images {
		out[i] = r.Images[i].Sum
	}
	return out
}

// Parts returns the images, in their order.
func (r *Request) Parts() []*Image {
	out := make([]*Image, len(r.Images))
	for i := range r.Images {
		out[i] = &r.Images[i]
	}
	return out
}

// At returns the image at a place. For the place of a message or of a tool result it
// is the only image in it; nil if there are several, or none.
func At(images []*Image, place []int) *Image {
	var found *Image
	for _, im := range images {
		switch {
		case slices.Equal(im.Place, place):
			return im
		case len(im.Place) > len(place) && slices.Equal(im.Place[:len(place)], place):
			if found != nil {
				return nil // it may be either
			}
			found = im
		}
	}
	return found
}

// Nth returns the n-th part of a kind, from 0; nil if there are fewer.
func Nth(images []*Image, m Media, n int) *Image {
	for _, im := range images {
		if im.Media == m {
			if n == 0 {
				return im
			}
			n--
		}
	}
	return nil
}

// AtURL returns the part with a remote URL; nil if there is none.
func AtURL(images []*Image, u string) *Image {
	for _, im := range images {
		if im.Carrier == URL && string(im.Source()) == u {
			return im
		}
	}
	return nil
}

// fill takes the content of a part from a string, and reports whether it is one. A
// data URL carries bytes, and a media type in case the part declares none.
func (im *Image) fill(source jsontree.Node, c Carrier) bool {
	if source.Kind() != '"' {
		return false
	}
	im.source, im.Carrier = source, c
	if c == FileID {
		return true
	}
	if label, ok := imagehash.MediaTypeOfDataURL(source.Text()); ok {
		im.Carrier, im.Label = Bytes, cmp.Or(im.Label, label)
	}
	return true
}

// hash fills in the sum and the size of the content, which h may have computed already.
func (im *Image) hash(h *Hasher) {
	if im.Carrier != Bytes {
		im.Sum = imagehash.Of(im.Source())
		return
	}
	start, end := im.source.Span()
	if sum, size, ok := h.sum(start+1, end-1); ok {
		im.Sum, im.Size = sum, size
		return
	}
	// Invalid base64 has a sum, too: upstream it fails like a broken image.
	im.Sum, im.Size, _ = imagehash.Base64(im.Source())
}

// mediaOf returns the kind of media that a media type implies; fallback if none.
func mediaOf(label string, fallback Media) Media {
	kind, sub, _ := strings.Cut(strings.ToLower(label), "/")
	switch {
	case kind == "image":
		return Picture
	case kind == "audio":
		return Audio
	case kind == "video":
		return Video
	case strings.HasPrefix(sub, "pdf"):
		return Document
	}
	return fallback
}
