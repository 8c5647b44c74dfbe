package imagehash

import (
	"bytes"
	"testing"
)

// hostile are files of about size bytes each that cost the most to look at.
func hostile(t testing.TB, size int) []sample {
	fill := func(start []byte, with string) []byte {
		return join(start, bytes.Repeat([]byte(with), size/len(with)))
	}
	pixels := chunk("IDAT", deflateZeros(t, size))
	return []sample{
		{"PNG of empty chunks", fill(pngFile(ihdr(9, 9, 8, 6, 0)), string(chunk("IDAT", nil)))},
		{"PNG with a bomb", pngFile(ihdr(1<<20, 1<<20, 8, 6, 0), pixels, chunk("IEND", nil))},
		{"PNG of one chunk", pngFile(ihdr(9, 9, 8, 6, 0), chunk("IDAT", make([]byte, size)), chunk("IEND", nil))},
		{"JPEG of fill bytes", fill([]byte{0xff, jpegSOI}, "\xff")},
		{"JPEG of stray bytes", fill([]byte{0xff, jpegSOI, 0xff, 0}, "\xff\x00")},
		{"JPEG of empty segments", fill([]byte{0xff, jpegSOI}, "\xff\xfe\x00\x02")},
		{"JPEG without end", fill(bytes.TrimSuffix(jpegOf(t, 8, 8), []byte{0xff, jpegEOI}), "\xff\x00")},
		{"GIF of single bytes", fill([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00!\xfe"), "\x01x")},
		{"GIF of padding", fill([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00"), "\x00")},
		{"WebP of empty chunks", fill([]byte("RIFF\x00\x00\x30\x00WEBP"), "JUNK\x00\x00\x00\x00")},
		{"HEIF of extents", fill(ftyp("heic"), "ispe")},
		{"TIFF directory", fill([]byte("II*\x00\x08\x00\x00\x00\xff\xff"), "\x02\x01")},
		{"white space", fill(nil, " ")},
		{"comments", fill(nil, "<!---->")},
		{"document types", fill(nil, "<!doctype x>")},
		{"JSON", fill(nil, "[")},
		{"text", fill(nil, "word ")},
		{"UTF-16", fill([]byte{0xff, 0xfe}, "w\x00")},
		{"zeros", fill(nil, "\x00")},
	}
}

func deflateZeros(t testing.TB, n int) []byte {
	t.Helper()
	b := make([]byte, 0, n/1000)
	return append(b, deflate(t, make([]byte, n))...)
}

// The worst inputs cost no more allocations when they are ten times as long.
func TestInspectBounded(t *testing.T) {
	short, long := hostile(t, 100<<10), hostile(t, 1000<<10)
	for i, s := range short {
		few := testing.AllocsPerRun(1, func() { Inspect(s.data) })
		many := testing.AllocsPerRun(1, func() { Inspect(long[i].data) })
		if many > 2*few+10 {
			t.Errorf("%s: %v allocations, and %v for ten times the bytes", s.name, few, many)
		}
	}
}

func BenchmarkInspect(b *testing.B) {
	screenshot := pngOf(b, picture(1600, 1200))
	photo := jpegOf(b, 2400, 1600)
	sound := []sample{{"PNG", screenshot}, {"JPEG", photo}, {"JPEG and a video", join(photo, make([]byte, 30<<20))}}
	for _, s := range append(sound, hostile(b, 32<<20)...) {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(s.data)))
			b.ReportAllocs()
			for b.Loop() {
				Inspect(s.data)
			}
		})
	}
}
