package protocol

import (
	"cmp"
	"slices"
	"strings"

	"imagebreaker/imagehash"
	"imagebreaker/internal/jsontree"
)

// Media is the kind of thing that a media part holds.
type Media string

const (
	Picture  Media = "image"
	Document Media = "document"
	Audio    Media = "audio"
	Video    Media = "video"
)

// Carrier is how a media part brings its content.
type Carrier string

const (
	Bytes  Carrier = "bytes"   // base64 or a data URL
	URL    Carrier = "url"     // a remote URL
	FileID Carrier = "file_id" // something uploaded before
)

// Image is one media part of a request.
type Image struct {
	Sum     imagehash.Sum
	Media   Media
	Carrier Carrier
	Label   string // the media type it is labelled with, lower case; may be empty
	Size    int    // of the bytes; 0 where there are none
	// Place counts from 0: the message (input item, content), the part in it,
	// the part inside that part's result, and so on.
	Place []int
	// Path is how the API itself names the part's content in an error; empty
	// where the API has no such paths.
	Path string

	part     jsontree.Node // the whole part, for a placeholder to replace
	list     jsontree.Node // the list that the part stands in, where a placeholder cannot
	home     jsontree.Node // the object that holds this list and the text that belongs to it
	textName string        // the text's member in home
	source   jsontree.Node // the string that holds the content
	near     []jsontree.Node
	name     string

	inspect func() Inspection // looks once
}

// Inspection is what a look at an image's bytes has shown.
type Inspection struct {
	// Decoded tells that there are bytes: the content came along, and is base64.
	Decoded bool
	// Inspection is what the bytes are. The zero value where there are none, and for
	// audio and video, which nobody looks at.
	imagehash.Inspection
}

// Inspect looks at the image's bytes. However often it is asked, they are decoded
// and looked at once per request.
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

// outsideMessages is the place of what stands in no message: a system prompt, a
// template's variables. No upstream was seen to point there.
const outsideMessages = -1

// Span is the part's place in the body.
func (im *Image) Span() (start, end int) { return im.part.Span() }

// Source is the content as sent, with JSON escapes undone: base64 text, a
// data URL, a URL, a file id.
func (im *Image) Source() []byte { return im.source.Text() }

// Items are the sums of the images, in their order.
func (r *Request) Items() [][32]byte {
	out := make([][32]byte, len(r.Images))
	for i := range r.Images {
		out[i] = r.Images[i].Sum
	}
	return out
}

// Parts are the images, in their order.
func (r *Request) Parts() []*Image {
	out := make([]*Image, len(r.Images))
	for i := range r.Images {
		out[i] = &r.Images[i]
	}
	return out
}

// At finds the image at a place, or the only image of a message where the
// place names just that.
func At(images []*Image, place []int) *Image {
	var found *Image
	for _, im := range images {
		switch {
		case slices.Equal(im.Place, place):
			return im
		case len(im.Place) > len(place) && slices.Equal(im.Place[:len(place)], place):
			if found != nil {
				return nil // which of them is not said
			}
			found = im
		}
	}
	return found
}

// Nth finds the n-th part of a kind, from 0.
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

// AtURL finds the part that a remote URL brings.
func AtURL(images []*Image, u string) *Image {
	for _, im := range images {
		if im.Carrier == URL && string(im.Source()) == u {
			return im
		}
	}
	return nil
}

// fill takes the content of a part from a string, and reports whether it is one. A
// data URL brings bytes, and its media type where there is no other label.
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

// hash fills in the sum and the size of the content, which h may have taken
// already.
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
	// Broken base64 has a sum of its own: it fails upstream like a broken image.
	im.Sum, im.Size, _ = imagehash.Base64(im.Source())
}

// mediaOf tells the kind of media from a label; fallback where it does not say.
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
