package imagehash

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf16"
)

const (
	isText    = "is text"
	isUnknown = "is in no known format"
)

// textPrefix is how much of a file is read as text. The prolog of an SVG can be
// long.
const textPrefix = 64 << 10

// inspectText names whatever is in no binary format.
func inspectText(b []byte) Inspection {
	head := textHead(b)
	if isLFSPointer(head) {
		return Inspection{Format: LFSPointer}.broken("is a Git LFS pointer; the file behind it is missing")
	}
	switch format := markup(head); {
	case format == SVG:
		return Inspection{Format: SVG}.unsupported()
	case format == HTML:
		return Inspection{Format: HTML}.broken("is a web page")
	case format == Text:
		return Inspection{Format: Text}.broken("looks like XML")
	case isJSON(head):
		return Inspection{Format: JSON}.broken("is JSON")
	case isPlainText(head):
		return Inspection{Format: Text}.broken(explainText(head))
	case bytes.Contains(head[:min(len(head), 1024)], []byte(pdfSignature)):
		return inspectPDF(b) // readers put up with garbage in front
	}
	return Inspection{Format: Unknown}.broken(explainUnknown(b))
}

// textHead returns the start of b as UTF-8, without byte order mark and white
// space in front.
func textHead(b []byte) []byte {
	head := b[:min(len(b), textPrefix)]
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		head = fromUTF16(head[2:], binary.LittleEndian)
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		head = fromUTF16(head[2:], binary.BigEndian)
	default:
		head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	}
	return bytes.TrimLeft(head, asciiSpaces)
}

func fromUTF16(b []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

func isLFSPointer(head []byte) bool {
	return bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/spec/"))
}

// isJSON tells whether head starts an object or an array and goes on as JSON for
// a while.
func isJSON(head []byte) bool {
	const enough = 4 << 10
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return false
	}
	tokens := json.NewDecoder(bytes.NewReader(head[:min(len(head), enough)]))
	for {
		if _, err := tokens.Token(); err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}

// isPlainText tells whether head holds none of the control characters that only
// binary data has, and is UTF-8 or at least mostly ASCII.
func isPlainText(head []byte) bool {
	high := 0
	for _, c := range head {
		switch {
		case c < 0x08, c == 0x0b, 0x0e <= c && c <= 0x1a, 0x1c <= c && c <= 0x1f:
			return false
		case c >= 0x80:
			high++
		}
	}
	return high <= len(head)/4 || isUTF8(head)
}

// explainText names the texts that most often stand in for an image.
func explainText(head []byte) string {
	for _, start := range []string{"iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "data:image/"} {
		if bytes.HasPrefix(head, []byte(start)) {
			return "looks like an image that was put into base64 twice"
		}
	}
	if bytes.HasPrefix(head, []byte("http://")) || bytes.HasPrefix(head, []byte("https://")) {
		return "looks like a URL instead of what is behind it"
	}
	return isText
}
