package imagehash

import (
	"encoding/binary"
	"testing"
)

func TestInspectHEIF(t *testing.T) {
	t.Parallel()
	extents := join(ispe(64, 64), ispe(4032, 3024), ispe(160, 120)) // a tile, the image, a thumbnail
	for _, c := range []struct {
		name   string
		data   []byte
		format Format
		w, h   int
	}{
		{"avif", join(ftyp("avif", "mif1", "miaf"), extents), AVIF, 4032, 3024},
		{"avif behind mif1", ftyp("mif1", "avif"), AVIF, 0, 0},
		{"avif sequence", ftyp("avis"), AVIF, 0, 0},
		{"heic", join(ftyp("heic", "mif1"), extents), HEIC, 4032, 3024},
		{"heix", ftyp("heix"), HEIC, 0, 0},
		{"hevc", ftyp("hevc"), HEIC, 0, 0},
		{"mif1", ftyp("mif1"), HEIC, 0, 0},
		{"msf1", ftyp("msf1"), HEIC, 0, 0},
		{"cut box", ftyp("mif1", "heic")[:17], HEIC, 0, 0},
		{"cut extents", join(ftyp("heic"), extents[:14]), HEIC, 0, 0},
	} {
		expectInspection(t, c.name, c.data, Inspection{Format: c.format, Width: c.w, Height: c.h}.unsupported())
	}
	if got := Inspect(ftyp("mp42", "isom")); got.Format != Unknown || got.State != Broken {
		t.Errorf("a video: %+v", got)
	}
}

func TestInspectBitmaps(t *testing.T) {
	t.Parallel()
	os2 := join([]byte("BM"), make([]byte, 12), []byte{12, 0, 0, 0, 5, 0, 6, 0}, make([]byte, 20))
	down := readSample(t, "yellow_rose-small-v5.bmp")
	binary.LittleEndian.PutUint32(down[22:], 1<<32-7)
	icons := []byte("\x00\x00\x01\x00\x02\x00" +
		"\x10\x10\x00\x00\x01\x00\x20\x00\x44\x00\x00\x00\x26\x00\x00\x00" +
		"\x00\x30\x00\x00\x01\x00\x20\x00\x44\x00\x00\x00\x66\x00\x00\x00")
	cursor := append([]byte{0, 0, 2}, icons[3:]...)
	motorola := []byte("MM\x00*\x00\x00\x00\x08\x00\x02" +
		"\x01\x00\x00\x03\x00\x00\x00\x01\x00\x20\x00\x00\x01\x01\x00\x04\x00\x00\x00\x01\x00\x00\x00\x30")
	for _, c := range []struct {
		name   string
		data   []byte
		format Format
		w, h   int
	}{
		{"bmp", readSample(t, "bmp_1bpp.bmp"), BMP, 96, 73},
		{"bmp of OS/2", os2, BMP, 5, 6},
		{"bmp downwards", down, BMP, 16, 7},
		{"ico", icons, ICO, 256, 48},
		{"cut ico", icons[:30], ICO, 16, 16},
		{"cursor", cursor, ICO, 256, 48},
		{"tiff", readSample(t, "no_compress.tiff"), TIFF, 16, 15},
		{"tiff of Motorola", motorola, TIFF, 32, 48},
		{"cut tiff", motorola[:9], TIFF, 0, 0},
		{"cut directory", motorola[:30], TIFF, 32, 0},
		{"tiff magic", motorola[:4], TIFF, 0, 0},
		{"BigTIFF", []byte("II+\x00\x08\x00\x00\x00"), TIFF, 0, 0},
	} {
		expectInspection(t, c.name, c.data, Inspection{Format: c.format, Width: c.w, Height: c.h}.unsupported())
	}
	for name, data := range map[string][]byte{
		"text like a BMP":  []byte("BMW builds cars, and a few motorcycles"),
		"an empty ICO":     append([]byte{0, 0, 1, 0}, make([]byte, 40)...),
		"a TrueType font":  append([]byte{0, 1, 0, 0}, make([]byte, 40)...),
		"an MPEG stream":   append([]byte{0, 0, 1, 0xba}, make([]byte, 40)...),
		"text like a TIFF": []byte("II* and so on"),
	} {
		if got := Inspect(data); got.State != Broken || got.Format != Text && got.Format != Unknown {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func expectInspection(t *testing.T, name string, data []byte, want Inspection) {
	t.Helper()
	if got := Inspect(data); got != want {
		t.Errorf("%s: %+v, want %+v", name, got, want)
	}
}

// ftyp is a file type box.
func ftyp(major string, compatible ...string) []byte {
	b := []byte("\x00\x00\x00\x00ftyp" + major + "\x00\x00\x00\x00")
	for _, brand := range compatible {
		b = append(b, brand...)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	return b
}

// ispe is a box with an image's spatial extents.
func ispe(width, height uint32) []byte {
	b := []byte("\x00\x00\x00\x14ispe\x00\x00\x00\x00")
	b = binary.BigEndian.AppendUint32(b, width)
	return binary.BigEndian.AppendUint32(b, height)
}
