package imagehash

import "testing"

func TestDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format Format
		label  string
		want   bool
	}{
		{PNG, "image/png", false},
		{PNG, "IMAGE/PNG; charset=binary", false},
		{PNG, " image/x-png", false},
		{PNG, "image/apng", false},
		{PNG, "image/jpeg", true},
		{PNG, "image/jpg", true},
		{PNG, "application/pdf", true},
		{PNG, "text/plain", true},
		{PNG, "image/strange", true},
		{PNG, "", false},
		{PNG, "image/*", false},
		{PNG, "*/*", false},
		{PNG, "application/octet-stream", false},
		{JPEG, "image/jpg", false},
		{JPEG, "image/pjpeg", false},
		{JPEG, "image/webp", true},
		{GIF, "image/gif", false},
		{WebP, "image/webp", false},
		{HEIC, "image/heif", false},
		{HEIC, "image/avif", true},
		{AVIF, "image/avif", false},
		{BMP, "image/x-ms-bmp", false},
		{ICO, "image/x-icon", false},
		{TIFF, "image/tif", false},
		{SVG, "image/svg+xml", false},
		{SVG, "image/png", true},
		{PDF, "application/pdf", false},
		{PDF, "image/png", true},
		{HTML, "image/png", false}, // no image at all, which is another matter
		{JSON, "image/png", false},
		{Text, "image/png", false},
		{LFSPointer, "image/png", false},
		{Empty, "image/png", false},
		{Unknown, "image/png", false},
		{"", "image/png", false},
	} {
		if got := (Inspection{Format: c.format}).Differs(c.label); got != c.want {
			t.Errorf("%s labelled %q: %v, want %v", c.format, c.label, got, c.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	whole := pngOf(t, picture(12, 10))
	cut := pngFile(ihdr(1280, 720, 8, 6, 0), chunk("IDAT", noise(900)))[:500]
	const pointer = "version https://git-lfs.github.com/spec/v1\n"
	for _, c := range []struct{ data, label, want string }{
		{string(whole), "image/png", "a PNG of 12x10 pixels"},
		{string(whole), "", "a PNG of 12x10 pixels"},
		{string(whole), "image/gif", "a PNG, though labelled GIF"},
		{string(jpegOf(t, 8, 8)), "image/png", "a JPEG, though labelled PNG"},
		{string(jpegOf(t, 8, 8)), "image/strange", "a JPEG, though labelled otherwise"},
		{string(gifOf(t, 7, 5, 1)), "image/gif", "a GIF of 7x5 pixels"},
		{string(riff(riffChunk("VP8 ", vp8(3, 2)))), "IMAGE/WEBP", "a WebP of 3x2 pixels"},
		{string(cut), "image/png", "a PNG of 1280x720 pixels that is cut off"},
		{string(cut), "image/jpeg", "a PNG of 1280x720 pixels that is cut off, though labelled JPEG"},
		{string(cut[:20]), "image/png", "a PNG that is cut off"},
		{"\x89PNG\n\x1a\n\x00\x00", "image/png", "a PNG that was damaged in transfer: its line endings were changed"},
		{string(ftyp("avif")), "image/avif", "an AVIF image, a format that vision APIs do not take"},
		{string(ftyp("avif")), "image/png", "an AVIF image, a format that vision APIs do not take"},
		{"<svg/>", "image/svg+xml", "an SVG image, a format that vision APIs do not take"},
		{"%PDF-1.4", "application/pdf", "a PDF"},
		{"%PDF-1.4", "image/png", "a PDF, not a PNG"},
		{"%PDF-1.4", "image/*", "a PDF, not an image"},
		{pointer, "image/png", "a Git LFS pointer, not a PNG"},
		{"<html>", "image/jpeg", "an HTML page, not a JPEG"},
		{"<html>", "image/jpg", "an HTML page, not a JPEG"},
		{"<html>", "application/pdf", "an HTML page, not a PDF"},
		{"<html>", "", "an HTML page, not an image"},
		{"<html>", "audio/<b>", "an HTML page, not what its label says"},
		{"<html>", "text/html", "an HTML page"},
		{"{}", "image/webp", "JSON text, not a WebP"},
		{"hello", "image/png", "plain text, not a PNG"},
		{"hello", "text/markdown", "plain text"},
		{"iVBORw0KGgoAAAA", "image/png", "plain text that looks like an image that was put into base64 twice, not a PNG"},
		{"\x00\x01", "image/heic", "data of no known format, not a HEIC image"},
		{"PK\x03\x04\x00", "image/png", "data of no known format that looks like a ZIP archive or an office document, not a PNG"},
		{"", "image/png", "empty, 0 bytes"},
		{"", "", "empty, 0 bytes"},
	} {
		if got := Inspect([]byte(c.data)).Describe(c.label); got != c.want {
			t.Errorf("Inspect(%.20q).Describe(%q)\n got %q\nwant %q", c.data, c.label, got, c.want)
		}
	}
}

// TestDescribeZero keeps an Inspection that nobody filled in from saying nothing.
func TestDescribeZero(t *testing.T) {
	t.Parallel()
	if got, want := (Inspection{}).Describe("image/png"), "data of no known format, not a PNG"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
