package imagehash

import (
	"bytes"
	"image"
	"slices"
	"strings"
	"testing"
)

func FuzzInspect(f *testing.F) {
	for _, s := range readImages(f, sampleFolder) {
		f.Add(s.data)
		f.Add(s.data[:len(s.data)*2/3])
	}
	for _, text := range []string{
		"", "<svg/>", "<!DOCTYPE a [<!ENTITY b \"c\">]><!-- --><html>", "{\"a\":[1]}", "%PDF-1.4", "hello",
		"version https://git-lfs.github.com/spec/v1", "\xff\xfe<\x00", "\ufffdPNG\r\n\x1a\n", "\x00\x00\x01\x00\x01\x00",
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00avifheicispe\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01", "RIFF\xff\xff\xff\xffWEBPVP8X",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		in := Inspect(b)
		if !bytes.Equal(b, before) {
			t.Fatal("Inspect changed its input")
		}
		checkInspection(t, in)
		if in.State == OK && Inspect(slices.Concat(b, []byte("\xff\x00junk"))) != in {
			t.Fatalf("%+v changes with trailing bytes", in)
		}
		if in.State != OK && decodes(in.Format, b) {
			t.Fatalf("%+v, but it decodes", in)
		}
	})
}

// checkInspection checks what holds for every Inspection.
func checkInspection(t *testing.T, in Inspection) {
	t.Helper()
	_, named := names[in.Format]
	vision := in.Format == PNG || in.Format == JPEG || in.Format == GIF || in.Format == WebP
	text := in.Describe("image/png")
	switch {
	case !named, in.Width < 0, in.Height < 0, !slices.Contains([]State{OK, Unsupported, Broken}, in.State):
		t.Fatalf("%+v is none of the documented values", in)
	case in.State == OK && !vision, (in.State == OK) != (in.Detail == ""):
		t.Fatalf("%+v contradicts itself", in)
	case strings.TrimSpace(text) == "", strings.HasPrefix(text, ","):
		t.Fatalf("%+v is described as %q", in, text)
	}
}

// decodes asks the standard library's decoder, unless the image is large.
func decodes(format Format, b []byte) bool {
	config, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil || config.Width*config.Height > 1<<16 {
		return false
	}
	decode := decoderOf("x." + string(format))
	if decode == nil {
		return false
	}
	_, err = decode(b)
	return err == nil
}
