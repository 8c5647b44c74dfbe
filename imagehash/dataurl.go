package imagehash

import (
	"bytes"
	"strings"
)

const (
	dataScheme  = "data:"
	asciiSpaces = " \t\n\f\r"
)

// MediaTypeOfDataURL returns the media type that the data URL u states, in lower
// case and without its parameters: "image/png" for "data:image/PNG;base64,...".
// The type is empty if u states none. ok is false if u is no data URL.
func MediaTypeOfDataURL(u []byte) (mediaType string, ok bool) {
	header, _, ok := cutDataURL(u)
	if !ok {
		return "", false
	}
	return essence(string(header)), true
}

// essence returns a media type without parameters, in lower case.
func essence(mediaType string) string {
	bare, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(bare))
}

// cutDataURL splits a data URL at its first comma. The header comes without the
// scheme. ok is false if u is no data URL.
func cutDataURL(u []byte) (header, body []byte, ok bool) {
	u = bytes.TrimLeft(u, asciiSpaces)
	if len(u) < len(dataScheme) || !bytes.EqualFold(u[:len(dataScheme)], []byte(dataScheme)) {
		return nil, nil, false
	}
	return bytes.Cut(u[len(dataScheme):], []byte(","))
}

// saysBase64 tells whether one of the header's parameters is "base64". RFC 2397
// wants it last; senders put a charset behind it, too.
func saysBase64(header []byte) bool {
	_, parameters, _ := bytes.Cut(header, []byte(";"))
	for p := range bytes.SplitSeq(parameters, []byte(";")) {
		if strings.ToLower(string(bytes.Trim(p, asciiSpaces))) == "base64" {
			return true
		}
	}
	return false
}

// percentDecode undoes %XX. As browsers do, it leaves a percent sign alone that
// no two hex digits follow. It returns text itself if there is nothing to undo.
func percentDecode(text []byte) []byte {
	first := bytes.IndexByte(text, '%')
	if first < 0 {
		return text
	}
	decoded := append(make([]byte, 0, len(text)), text[:first]...)
	for i := first; i < len(text); i++ {
		c := text[i]
		if c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			c = unhex(text[i+1])<<4 | unhex(text[i+2])
			i += 2
		}
		decoded = append(decoded, c)
	}
	return decoded
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
