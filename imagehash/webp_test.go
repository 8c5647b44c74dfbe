package imagehash

import (
	"bytes"
	"testing"
)

func TestInspectWebP(t *testing.T) {
	t.Parallel()
	lossy := riffChunk("VP8 ", vp8(320, 200))
	lossless := riffChunk("VP8L", vp8l(33, 16384))
	canvas := riffChunk("VP8X", []byte("\x12\x00\x00\x00\xff\x01\x00\x00\x01\x00")) // 512x257
	frame := riffChunk("ANMF", join(make([]byte, 16), lossy))
	whole := riff(lossy)
	short := bytes.Clone(whole)
	short[4]-- // libwebp looks no further than this
	runInspectCases(t, WebP, []inspectCase{
		{"lossy", whole, OK, 320, 200, ""},
		{"lossless", riff(lossless), OK, 33, 16384, ""},
		{"extended", riff(canvas, riffChunk("ICCP", noise(7)), riffChunk("ALPH", noise(9)), lossy, riffChunk("EXIF", noise(5))), OK, 512, 257, ""},
		{"animated", riff(canvas, riffChunk("ANIM", make([]byte, 6)), frame, frame), OK, 512, 257, ""},
		{"unknown chunk first", riff(riffChunk("JUNK", noise(3)), lossless), OK, 33, 16384, ""},
		{"scaled", riff(riffChunk("VP8 ", vp8(320|1<<14, 200|3<<14))), OK, 320, 200, ""},
		{"last pad byte left out", riff(riffChunk("VP8 ", join(vp8(9, 9), noise(3)))[:8+15]), OK, 9, 9, ""},

		{"name only", riff(), Broken, 0, 0, hasNoImage},
		{"cut at the last byte", whole[:len(whole)-1], Broken, 320, 200, isCutOff},
		{"cut in the header", whole[:24], Broken, 0, 0, isCutOff},
		{"cut in an animation", riff(canvas, frame, frame)[:70], Broken, 512, 257, isCutOff},
		{"cut, size mended", riff(lossy[:len(lossy)-2]), Broken, 320, 200, isCutOff},
		{"half a chunk header", riff(canvas, []byte("VP8")), Broken, 512, 257, isCutOff},
		{"no pixels", riff(canvas, riffChunk("EXIF", noise(5))), Broken, 512, 257, hasNoImage},
		{"size too small", short, Broken, 320, 200, isCutOff},
		{"size 0", []byte("RIFF\x00\x00\x00\x00WEBPVP8 "), Broken, 0, 0, "header"},
		{"short canvas", riff(riffChunk("VP8X", noise(9)), lossy), Broken, 0, 0, isDamaged},
		{"no key frame", riff(riffChunk("VP8 ", join([]byte{1}, vp8(1, 1)[1:]))), Broken, 0, 0, "header"},
		{"no start code", riff(riffChunk("VP8 ", make([]byte, 20))), Broken, 0, 0, "header"},
		{"lossless without signature", riff(riffChunk("VP8L", make([]byte, 20))), Broken, 0, 0, "header"},
		{"lossless of version 1", riff(riffChunk("VP8L", []byte("\x2f\x00\x00\x00\x20 "))), Broken, 0, 0, "header"},
	})
}

// vp8 starts a lossy key frame.
func vp8(width, height uint16) []byte {
	return []byte{0x10, 0, 0, 0x9d, 0x01, 0x2a, byte(width), byte(width >> 8), byte(height), byte(height >> 8), 1, 2}
}

// vp8l starts a lossless image.
func vp8l(width, height uint32) []byte {
	bits := width - 1 | (height-1)<<14
	return []byte{0x2f, byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24), 1, 2}
}
