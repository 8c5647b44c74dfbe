package imagehash

import (
	"bytes"
	"testing"
)

func TestInspectJPEG(t *testing.T) {
	t.Parallel()
	whole := jpegOf(t, 40, 30)
	body := whole[2:]
	soi := whole[:2]
	eoi := []byte{0xff, jpegEOI}
	thumbnail := segment(0xe1, join([]byte("Exif\x00\x00"), jpegOf(t, 16, 12)))
	sos := bytes.Index(whole, []byte{0xff, jpegSOS})
	noHeight := bytes.Clone(whole)
	frame := bytes.Index(noHeight, []byte{0xff, jpegSOF0})
	noHeight[frame+5], noHeight[frame+6] = 0, 0
	runInspectCases(t, JPEG, []inspectCase{
		{"whole", whole, OK, 40, 30, ""},
		{"thumbnail", join(soi, thumbnail, body), OK, 40, 30, ""},
		{"300 APP segments", join(soi, bytes.Repeat(segment(0xe2, noise(300)), 300), body), OK, 40, 30, ""},
		{"longest segment", join(soi, segment(0xfe, noise(65533)), body), OK, 40, 30, ""},
		{"empty segments", join(soi, segment(0xfe, nil), segment(0xef, nil), body), OK, 40, 30, ""},
		{"fill bytes", join(soi, bytes.Repeat([]byte{0xff}, 1000), body), OK, 40, 30, ""},
		{"fill bytes before the end", join(whole[:len(whole)-2], []byte{0xff, 0xff}, eoi), OK, 40, 30, ""},
		{"stray bytes", join(soi, segment(0xfe, nil), []byte("\x00\x01stray\xff\x00"), body), OK, 40, 30, ""},
		{"lone markers", join(soi, []byte{0xff, jpegTEM, 0xff, jpegRST0}, body), OK, 40, 30, ""},
		{"two pictures, as MPO", join(whole, jpegOf(t, 8, 8)), OK, 40, 30, ""},
		{"second picture cut", join(whole, whole[:sos+9]), OK, 40, 30, ""},
		{"a video behind it", join(whole, []byte("\x00\x00\x00\x18ftypmp42"), make([]byte, 300<<10)), OK, 40, 30, ""},
		{"height after the scan", noHeight, OK, 40, 0, ""},
		{"arithmetic coding", reframe(whole, 0xc9), OK, 40, 30, ""},
		{"lossless", reframe(whole, 0xc3), OK, 40, 30, ""},

		{"two bytes", soi, Broken, 0, 0, isCutOff},
		{"three bytes", whole[:3], Broken, 0, 0, isCutOff},
		{"cut in a length", whole[:5], Broken, 0, 0, isCutOff},
		{"cut in a segment", whole[:9], Broken, 0, 0, isCutOff},
		{"cut behind the header", whole[:sos], Broken, 40, 30, isCutOff},
		{"cut in the pixels", whole[:sos+60], Broken, 40, 30, isCutOff},
		{"half an end marker", whole[:len(whole)-1], Broken, 40, 30, isCutOff},
		{"no end marker", whole[:len(whole)-2], Broken, 40, 30, isCutOff},
		{"cut, with a thumbnail", join(soi, thumbnail, body[:len(body)-40]), Broken, 40, 30, isCutOff},
		{"cut in a thumbnail", join(soi, thumbnail[:len(thumbnail)-1]), Broken, 0, 0, isCutOff},
		{"zeros for the rest", join(whole[:sos+60], make([]byte, 5000)), Broken, 40, 30, isCutOff},
		{"tables only", join(soi, segment(0xdb, noise(65)), eoi), Broken, 0, 0, hasNoImage},
		{"scan without a frame", join(soi, segment(jpegSOS, noise(10)), noise(50), eoi), Broken, 0, 0, "frame header"},
		{"length 1", []byte("\xff\xd8\xff\xe0\x00\x01JFIF\xff\xd9"), Broken, 0, 0, isDamaged},
		{"short frame", join(soi, segment(jpegSOF0, []byte{8, 0, 1}), body), Broken, 0, 0, isDamaged},
		{"no width", join(soi, segment(jpegSOF0, []byte{8, 0, 1, 0, 0, 1, 1, 0x11, 0}), body), Broken, 0, 0, "header"},
		{"no components", join(soi, segment(jpegSOF0, []byte{8, 0, 1, 0, 1, 0}), body), Broken, 0, 0, "header"},
		{"too few components", join(soi, segment(jpegSOF0, []byte{8, 0, 1, 0, 1, 3, 1, 0x11, 0}), body), Broken, 0, 0, "header"},
	})
}

// reframe turns a baseline JPEG into one that claims another process.
func reframe(b []byte, marker byte) []byte {
	return bytes.Replace(b, []byte{0xff, jpegSOF0}, []byte{0xff, marker}, 1)
}
