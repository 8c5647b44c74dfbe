package imagehash

import "strings"

// labels are the media types under which the formats travel.
var labels = map[string]Format{
	"image/png":                PNG,
	"image/x-png":              PNG,
	"image/apng":               PNG,
	"image/vnd.mozilla.apng":   PNG,
	"image/jpeg":               JPEG,
	"image/jpg":                JPEG,
	"image/pjpeg":              JPEG,
	"image/gif":                GIF,
	"image/webp":               WebP,
	"image/heic":               HEIC,
	"image/heif":               HEIC,
	"image/heic-sequence":      HEIC,
	"image/heif-sequence":      HEIC,
	"image/avif":               AVIF,
	"image/bmp":                BMP,
	"image/x-bmp":              BMP,
	"image/x-ms-bmp":           BMP,
	"image/vnd.microsoft.icon": ICO,
	"image/x-icon":             ICO,
	"image/ico":                ICO,
	"image/tiff":               TIFF,
	"image/tif":                TIFF,
	"image/svg+xml":            SVG,
	"application/pdf":          PDF,
	"application/x-pdf":        PDF,
	"text/html":                HTML,
	"application/json":         JSON,
	"application/xml":          Text,
}

// Differs tells whether the bytes are in an image format, or PDF, that
// contradicts the media type label. Case and parameters of label do not matter,
// and synonyms such as image/jpg are understood. A label that names no one format
// (empty, image/*, application/octet-stream) contradicts nothing.
func (in Inspection) Differs(label string) bool {
	return in.isImageOrPDF() && !isVague(essence(label)) && labels[essence(label)] != in.Format
}

// labelled returns the format that label names.
func labelled(label string) (_ Format, known bool) {
	mediaType := essence(label)
	if format, known := labels[mediaType]; known {
		return format, true
	}
	return Text, strings.HasPrefix(mediaType, "text/")
}

func (in Inspection) isImageOrPDF() bool {
	switch in.Format {
	case HTML, JSON, Text, LFSPointer, Empty, Unknown, "":
		return false
	}
	return true
}

func isVague(mediaType string) bool {
	switch mediaType {
	case "", "image/*", "*/*", "application/octet-stream", "binary/octet-stream":
		return true
	}
	return false
}
