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
func (in Inspection) Describe(label string) string {
	switch {
	case in.Format == "": // nobody looked
		return Inspection{Format: Unknown, Detail: isUnknown}.Describe(label)
	case in.Format == Empty:
		return names[Empty].full
	case !in.isImageOrPDF():
		return in.noun() + in.not(label)
	case in.Format == PDF:
		return names[PDF].full + in.not(label)
	case in.State == Unsupported:
		return names[in.Format].full + ", a format that vision APIs do not take"
	case in.State == Broken:
		return in.measured() + " that " + in.Detail + in.though(label)
	case in.Differs(label):
		return names[in.Format].full + in.though(label)
	}
	return in.measured()
}

// noun names what is no image, and what it looks like if that is worth telling.
func (in Inspection) noun() string {
	switch {
	case in.Detail == isText, in.Detail == isUnknown:
	case in.Format == Text, in.Format == Unknown:
		return names[in.Format].full + " that " + in.Detail
	}
	return names[in.Format].full
}

func (in Inspection) measured() string {
	if in.Width == 0 || in.Height == 0 {
		return names[in.Format].full
	}
	return fmt.Sprintf("%s of %dx%d pixels", names[in.Format].full, in.Width, in.Height)
}

// not says what was expected, unless it is what came.
func (in Inspection) not(label string) string {
	expected, known := labelled(label)
	switch {
	case expected == in.Format:
		return ""
	case known:
		return ", not " + names[expected].full
	case isVague(essence(label)):
		return ", not an image"
	}
	return ", not what its label says"
}

func (in Inspection) though(label string) string {
	if !in.Differs(label) {
		return ""
	}
	if format, known := labelled(label); known {
		return ", though labelled " + names[format].bare
	}
	return ", though labelled otherwise"
}
