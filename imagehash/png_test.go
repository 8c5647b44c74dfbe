package imagehash

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
	"testing"
)

func TestInspectPNG(t *testing.T) {
	t.Parallel()
	whole := pngOf(t, picture(12, 10))
	c := splitPNG(whole) // IHDR, IDAT, IEND
	head, data, end := c[0], c[1], c[2]
	badCRC := slices.Clone(whole)
	badCRC[len(badCRC)-len(end)-1] ^= 1
	runInspectCases(t, PNG, []inspectCase{
		{"whole", whole, OK, 12, 10, ""},
		{"16 bit", pngOf(t, image.NewNRGBA64(image.Rect(0, 0, 3, 4))), OK, 3, 4, ""},
		{"16 bit grey", pngOf(t, image.NewGray16(image.Rect(0, 0, 3, 4))), OK, 3, 4, ""},
		{"paletted", pngOf(t, image.NewPaletted(image.Rect(0, 0, 5, 1), color.Palette{color.Black})), OK, 5, 1, ""},
		{"large and empty", pngOf(t, image.NewGray(image.Rect(0, 0, 3000, 2000))), OK, 3000, 2000, ""},
		{"large and full", pngOf(t, picture(400, 300)), OK, 400, 300, ""},
		{"animated", pngFile(head, chunk("acTL", make([]byte, 8)), chunk("fcTL", make([]byte, 26)), data,
			chunk("fcTL", make([]byte, 26)), chunk("fdAT", []byte("\x00\x00\x00\x02xx")), end), OK, 12, 10, ""},
		{"unknown chunks", pngFile(head, chunk("zzZz", nil), data, chunk("iTXt", noise(9)), end), OK, 12, 10, ""},
		{"empty IDAT first", pngFile(head, chunk("IDAT", nil), data, end), OK, 12, 10, ""},
		{"checksum of a comment", pngFile(head, []byte("\x00\x00\x00\x01tEXta\x00\x00\x00\x00"), data, end), OK, 12, 10, ""},
		{"bomb", pngFile(ihdr(1<<31-1, 1<<31-1, 16, 6, 1), chunk("IDAT", deflate(t, make([]byte, 1<<20))), end), OK, 1<<31 - 1, 1<<31 - 1, ""},
		{"pixels in single bytes", pngFile(join(head), singleBytes(data), end), OK, 12, 10, ""},

		{"signature only", []byte(pngSignature), Broken, 0, 0, isCutOff},
		{"half a signature", []byte(pngSignature[:5]), Broken, 0, 0, isCutOff},
		{"LF signature", []byte("\x89PNG\n\x1a\n\x00\x00\x00\x0dIHDR"), Broken, 0, 0, hasNewLineEndings},
		{"CRLF signature", []byte("\x89PNG\r\r\n\x1a\r\n\x00\x00"), Broken, 0, 0, hasNewLineEndings},
		{"damaged signature", []byte("\x89PNG\x00\x00\x00\x00\x00\x00"), Broken, 0, 0, "signature"},
		{"cut header", whole[:20], Broken, 0, 0, isCutOff},
		{"header only", pngFile(head), Broken, 12, 10, isCutOff},
		{"no end", pngFile(head, data), Broken, 12, 10, isCutOff},
		{"cut at the last byte", whole[:len(whole)-1], Broken, 12, 10, isCutOff},
		{"zeros for the rest", join(whole[:60], make([]byte, 400)), Broken, 12, 10, ""},
		{"noise between chunks", pngFile(head, noise(50), data, end), Broken, 12, 10, isDamaged},
		{"no header", pngFile(data, end), Broken, 0, 0, "header"},
		{"late header", pngFile(chunk("tEXt", nil), head, data, end), Broken, 0, 0, "header"},
		{"two headers", pngFile(head, head, data, end), Broken, 12, 10, "header"},
		{"Apple's variant", pngFile(chunk("CgBI", make([]byte, 4)), head, data, end), Broken, 0, 0, "Apple"},
		{"no pixels", pngFile(head, end), Broken, 12, 10, hasNoImage},
		{"wrong checksum", badCRC, Broken, 12, 10, "checksum"},
		{"short header", pngFile(chunk("IHDR", make([]byte, 12)), data, end), Broken, 0, 0, "header"},
		{"no width", pngFile(ihdr(0, 1, 8, 6, 0), data, end), Broken, 0, 0, "header"},
		{"no height", pngFile(ihdr(1, 0, 8, 6, 0), data, end), Broken, 0, 0, "header"},
		{"huge width", pngFile(ihdr(1<<31, 1, 8, 6, 0), data, end), Broken, 0, 0, "header"},
		{"4 bit RGB", pngFile(ihdr(1, 1, 4, 2, 0), data, end), Broken, 0, 0, "header"},
		{"colour type 5", pngFile(ihdr(1, 1, 8, 5, 0), data, end), Broken, 0, 0, "header"},
		{"interlace 2", pngFile(ihdr(1, 1, 8, 6, 2), data, end), Broken, 0, 0, "header"},
		{"no palette", pngFile(ihdr(1, 1, 8, 3, 0), data, end), Broken, 1, 1, "palette"},
		{"no zlib header", pngFile(head, chunk("IDAT", make([]byte, 50)), end), Broken, 12, 10, "pixel data"},
		{"noise for pixels", pngFile(head, chunk("IDAT", join([]byte{0x78, 0x9c, 0xff}, noise(50))), end), Broken, 12, 10, "pixel data"},
		{"filter 5", pngFile(head, chunk("IDAT", deflate(t, slices.Repeat([]byte{5}, 490))), end), Broken, 12, 10, "pixel data"},
		{"too few pixels", pngFile(head, chunk("IDAT", deflate(t, make([]byte, 200))), end), Broken, 12, 10, "less pixel data"},
		{"no pixels in the stream", pngFile(head, chunk("IDAT", deflate(t, nil)), end), Broken, 12, 10, "less pixel data"},
		{"far too few pixels", pngFile(ihdr(1<<31-1, 1<<31-1, 16, 6, 1), data, end), Broken, 1<<31 - 1, 1<<31 - 1, "less pixel data"},
	})
}

// TestInspectPNGChunkOverrun damages a length, the way a flipped bit does.
func TestInspectPNGChunkOverrun(t *testing.T) {
	t.Parallel()
	whole := pngOf(t, picture(12, 10))
	idat := bytes.Index(whole, []byte("IDAT"))
	for _, length := range []uint32{1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
		b := slices.Clone(whole)
		binary.BigEndian.PutUint32(b[idat-4:], length)
		if got := Inspect(b); got.State != Broken || got.Width != 12 {
			t.Errorf("IDAT of %d bytes: %+v", length, got)
		}
	}
}

// singleBytes spreads the data of an IDAT chunk over one chunk for each byte.
func singleBytes(idat []byte) (chunks []byte) {
	for _, c := range idat[8 : len(idat)-4] {
		chunks = append(chunks, chunk("IDAT", []byte{c})...)
	}
	return chunks
}

func deflate(t testing.TB, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
