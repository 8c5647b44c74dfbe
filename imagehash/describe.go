package imagehash

import "fmt"

// names are the formats as sentences need them: bare, and with an article.
var names = map[Format]struct{ bare, full string }{
	PNG:        {"PNG", "a PNG"},
	JPEG:       {"JPEG", "a JPEG"},
	GIF:        {"GIF", "a GIF"},
	WebP:       {"WebP", "a WebP"},
	HEIC:       {"HEIC", "a HEIC image"},
	AVIF:       {"AVIF", "an AVIF image"},
	BMP:        {"BMP", "a BMP image"},
	ICO:        {"ICO", "an ICO image"},
	TIFF:       {"TIFF", "a TIFF image"},
	SVG:        {"SVG", "an SVG image"},
	PDF:        {"PDF", "a PDF"},
	HTML:       {"HTML", "an HTML page"},
	JSON:       {"JSON", "JSON text"},
	Text:       {"text", "plain text"},
	LFSPointer: {"a Git LFS pointer", "a Git LFS pointer"},
	Empty:      {"empty", "empty, 0 bytes"},
	Unknown:    {"unknown", "data of no known format"},
}

// Describe says in a few words what the bytes are, for a person who expected the
// media type label: "a PNG of 12x10 pixels", "a Git LFS pointer, not a PNG". It
// repeats neither the label nor content of the file.
func (l Look) Describe(label string) string {
	switch {
	case l.Format == "": // nobody looked
		return Look{Format: Unknown, Detail: isUnknown}.Describe(label)
	case l.Format == Empty:
		return names[Empty].full
	case !l.isImageOrPDF():
		return l.noun() + l.not(label)
	case l.Format == PDF:
		return names[PDF].full + l.not(label)
	case l.State == Unsupported:
		return names[l.Format].full + ", a format that vision APIs do not take"
	case l.State == Broken:
		return l.measured() + " that " + l.Detail + l.though(label)
	case l.Differs(label):
		return names[l.Format].full + l.though(label)
	}
	return l.measured()
}

// noun names what is no image, and what it looks like if that is worth telling.
func (l Look) noun() string {
	switch {
	case l.Detail == isText, l.Detail == isUnknown:
	case l.Format == Text, l.Format == Unknown:
		return names[l.Format].full + " that " + l.Detail
	}
	return names[l.Format].full
}

func (l Look) measured() string {
	if l.Width == 0 || l.Height == 0 {
		return names[l.Format].full
	}
	return fmt.Sprintf("%s of %dx%d pixels", names[l.Format].full, l.Width, l.Height)
}

// not says what was expected, unless it is what came.
func (l Look) not(label string) string {
	expected, known := labelled(label)
	switch {
	case expected == l.Format:
		return ""
	case known:
		return ", not " + names[expected].full
	case isVague(essence(label)):
		return ", not an image"
	}
	return ", not what its label says"
}

func (l Look) though(label string) string {
	if !l.Differs(label) {
		return ""
	}
	if format, known := labelled(label); known {
		return ", though labelled " + names[format].bare
	}
	return ", though labelled otherwise"
}
