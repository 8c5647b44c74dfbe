package imagehash

import (
	"bytes"
	"unicode/utf8"
)

const (
	hasNewLineEndings = "was damaged in transfer: its line endings were changed"
	wasText           = "was damaged in transfer: it was treated as text"
)

// mangledSignatures are what is left of an image's first bytes after programs
// that took them for text. The damage cannot be undone: other bytes were lost in
// the same way.
var mangledSignatures = []struct {
	prefix string
	format Format
}{
	{"\xef\xbf\xbdPNG", PNG},           // not UTF-8, so replaced
	{"\xc2\x89PNG", PNG},               // taken for Latin-1
	{"\xe2\x80\xb0PNG", PNG},           // taken for Windows-1252
	{"?PNG\r\n\x1a", PNG},              // not ASCII, so replaced
	{"?PNG\n\x1a", PNG},                //
	{"PNG\r\n\x1a", PNG},               // not ASCII, so left out; or cut to 7 bits
	{"PNG\n\x1a", PNG},                 //
	{"\xc3\xbf\xc3\x98\xc3\xbf", JPEG}, // taken for Latin-1
	{"\x00\x10JFIF\x00", JPEG},         // not ASCII, so left out
}

func isMangled(b []byte) bool {
	return mangledFormat(b) != Unknown
}

func inspectMangled(b []byte) Inspection {
	return Inspection{Format: mangledFormat(b)}.broken(wasText)
}

func mangledFormat(b []byte) Format {
	head := textHead(b)
	for _, m := range mangledSignatures {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.format
		}
	}
	return replacedFormat(head[:min(len(head), 40)])
}

// replacedFormat recognizes images by the names near their start, if replacements
// for what was not UTF-8 stand around them.
func replacedFormat(near []byte) Format {
	replaced := bytes.Index(near, []byte("\ufffd"))
	switch {
	case replaced == 0 && bytes.Contains(near, []byte("JFIF\x00")),
		replaced == 0 && bytes.Contains(near, []byte("Exif\x00")):
		return JPEG
	case replaced > 0 && bytes.HasPrefix(near, []byte("RIFF")) && bytes.Contains(near, []byte("WEBP")):
		return WebP
	}
	return Unknown
}

// explainTextMode gives the better reason for formats whose signature survives
// as text: compressed data is never UTF-8, least of all with replacements in it.
func explainTextMode(b []byte, in Inspection) Inspection {
	head := b[:min(len(b), 4<<10)]
	survives := in.Format == GIF || in.Format == WebP
	if in.State == Broken && survives && isUTF8(head) && bytes.Contains(head, []byte("\ufffd")) {
		return in.broken(wasText)
	}
	return in
}

// isUTF8 tells whether head, which may end within a character, is UTF-8.
func isUTF8(head []byte) bool {
	for len(head) > 0 && utf8.FullRune(head) {
		r, size := utf8.DecodeRune(head)
		if r == utf8.RuneError && size == 1 {
			return false
		}
		head = head[size:]
	}
	return true
}
