package imagehash

import (
	"bytes"
	"slices"
	"testing"
)

// TestInspectEveryCut cuts small images of all kinds at every byte: none of what
// is left may pass.
func TestInspectEveryCut(t *testing.T) {
	t.Parallel()
	lossy := riffChunk("VP8 ", vp8(32, 20))
	canvas := riffChunk("VP8X", make([]byte, 10))
	for _, s := range []sample{
		{"png", pngOf(t, picture(9, 9))},
		{"animated png", pngFile(ihdr(1, 1, 8, 0, 0), chunk("acTL", make([]byte, 8)), chunk("fcTL", make([]byte, 26)),
			chunk("IDAT", deflate(t, []byte{0, 0})), chunk("fdAT", make([]byte, 20)), chunk("IEND", nil))},
		{"jpeg", jpegOf(t, 20, 20)},
		{"jpeg with a thumbnail", join([]byte{0xff, jpegSOI}, segment(0xe1, jpegOf(t, 8, 8)), jpegOf(t, 20, 20)[2:])},
		{"gif", gifOf(t, 9, 9, 1)},
		{"animated gif", gifOf(t, 9, 9, 4)},
		{"webp", riff(lossy)},
		{"extended webp", riff(canvas, riffChunk("ALPH", noise(20)), lossy, riffChunk("EXIF", noise(30)))},
		{"animated webp", riff(canvas, riffChunk("ANIM", make([]byte, 6)), riffChunk("ANMF", join(make([]byte, 16), lossy)))},
	} {
		if got := Inspect(s.data); got.State != OK {
			t.Errorf("%s: %+v, want ok", s.name, got)
		}
		for n := range s.data {
			if got := Inspect(s.data[:n]); got.State != Broken {
				t.Errorf("%s cut to %d of %d bytes: %+v", s.name, n, len(s.data), got)
			}
		}
	}
}

// TestInspectPNGFlips changes each byte of a PNG in turn. All of its chunks are
// critical, and so their checksums show every change.
func TestInspectPNGFlips(t *testing.T) {
	t.Parallel()
	whole := pngOf(t, picture(9, 9))
	for _, flip := range []byte{0x01, 0x20, 0x80, 0xff} {
		for i := range whole {
			b := slices.Clone(whole)
			b[i] ^= flip
			if got := Inspect(b); got.State != Broken {
				t.Errorf("byte %d changed by %#x: %+v", i, flip, got)
			}
		}
	}
}

// TestInspectZeroFilled stands for a download or a disk that left the rest of a
// file empty, at its full length.
func TestInspectZeroFilled(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		state, _ := judge(s)
		if state != OK || formatByName(s.name) == WebP { // its pixels may be anything
			continue
		}
		for _, part := range []int{1, 2, 3} {
			b := bytes.Clone(s.data)
			clear(b[len(b)*part/4:])
			if got := Inspect(b); got.State != Broken {
				t.Errorf("%s, zeros from %d/4 on: %+v", s.name, part, got)
			}
		}
	}
}

// TestInspectMangledSignatures has one line for each damage, and its twin that
// only looks alike.
func TestInspectMangledSignatures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data string
		want Format
	}{
		{"\ufffdPNG\r\n\x1a\n\x00", PNG},
		{"\u0089PNG\r\n\x1a\n\x00", PNG},
		{"\u2030PNG\r\n\x1a\n\x00", PNG},
		{"?PNG\r\n\x1a\n\x00", PNG},
		{"?PNG\n\x1a\n\x00", PNG},
		{"PNG\r\n\x1a\n\x00", PNG},
		{"PNG\n\x1a\n\x00", PNG},
		{"\tPNG\r\n\x1a\n\x00", PNG}, // cut to 7 bits
		{"\u00ff\u00d8\u00ff\u00e0\x00\x10JFIF\x00", JPEG},
		{"\ufffd\ufffd\ufffd\ufffd\x00\x10JFIF\x00\x01", JPEG},
		{"\ufffd\ufffd\ufffd\ufffd\x1f\ufffdExif\x00\x00", JPEG},
		{"\x00\x10JFIF\x00\x01", JPEG},
		{"RIFF\ufffd\x09\x00\x00WEBPVP8 ", WebP},

		{"PNG is a format", Text},
		{"?PNG\r\n", Text},
		{"\ufffd is a replacement for JFIF", Text},
		{"RIFF \ufffd WAVE", Text},
	} {
		got := Inspect([]byte(c.data))
		if got.Format != c.want || got.State != Broken || (got.Detail == wasText) != (c.want != Text) {
			t.Errorf("Inspect(%q) = %+v, want %s", c.data, got, c.want)
		}
	}
}

// TestInspectTextModeSpares keeps sound images that happen to be UTF-8 from being
// taken for text.
func TestInspectTextModeSpares(t *testing.T) {
	t.Parallel()
	replacements := bytes.Repeat([]byte("\ufffd"), 16)
	palette := join([]byte("GIF89a\x01\x00\x01\x00\x83\x00\x00"), replacements)
	whole := join(palette, []byte(",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	expectInspection(t, "sound", whole, Inspection{Format: GIF, Width: 1, Height: 1}.ok())
}

// TestStrangers wants every format that has only a name to be told from others.
func TestStrangers(t *testing.T) {
	t.Parallel()
	for _, s := range strangers {
		b := join(bytes.Repeat([]byte{1}, s.at), []byte(s.magic), []byte{0, 1, 2, 3})
		got := Inspect(b)
		if got.Format != Unknown || got.State != Broken || got.Detail != "looks like "+s.name {
			t.Errorf("%q: %+v, want %s", s.magic, got, s.name)
		}
	}
}

// TestLabels holds the tables of labels and names together.
func TestLabels(t *testing.T) {
	t.Parallel()
	for label, format := range labels {
		in := Inspection{Format: format}
		if in.Differs(label) || in.Differs(label+"; q=1") {
			t.Errorf("%s differs from its own label %s", format, label)
		}
		if other := (Inspection{Format: PNG}); format != PNG && !other.Differs(label) {
			t.Errorf("a PNG does not differ from the label %s", label)
		}
		if name := names[format]; name.bare == "" || name.full == "" {
			t.Errorf("%s has no name", format)
		}
	}
	for format := range names {
		if (Inspection{Format: format}).Describe("") == "" {
			t.Errorf("%s is not described", format)
		}
	}
}
