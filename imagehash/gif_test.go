package imagehash

import (
	"bytes"
	"testing"
)

func TestInspectGIF(t *testing.T) {
	t.Parallel()
	whole := gifOf(t, 7, 5, 1)
	film := gifOf(t, 7, 5, 3)
	frame := bytes.IndexByte(whole[13:], gifFrame) + 13
	head, tail := whole[:frame], whole[frame:]
	comment := []byte("\x21\xfe\x05hello\x00")
	noScreen := bytes.Clone(whole)
	copy(noScreen[6:], "\x00\x00\x00\x00")
	runInspectCases(t, GIF, []inspectCase{
		{"whole", whole, OK, 7, 5, ""},
		{"animated", film, OK, 7, 5, ""},
		{"GIF87a", bytes.Replace(whole, []byte("89a"), []byte("87a"), 1), OK, 7, 5, ""},
		{"extensions", join(head, comment, []byte("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"), comment, tail), OK, 7, 5, ""},
		{"empty extension", join(head, []byte("\x21\x01\x00"), tail), OK, 7, 5, ""},
		{"padding between blocks", join(head, []byte("\x00\x00"), tail), OK, 7, 5, ""},
		{"garbage after a frame", join(whole[:len(whole)-1], []byte("\x99\x99")), OK, 7, 5, ""},
		{"size of the frame", noScreen, OK, 7, 5, ""},
		{"no colour table", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), OK, 1, 1, ""},

		{"name only", []byte("GIF89a"), Broken, 0, 0, isCutOff},
		{"cut screen", whole[:12], Broken, 0, 0, isCutOff},
		{"cut colour table", whole[:15], Broken, 7, 5, isCutOff},
		{"cut before the frame", head, Broken, 7, 5, isCutOff},
		{"cut descriptor", whole[:frame+5], Broken, 7, 5, isCutOff},
		{"cut pixels", whole[:len(whole)-3], Broken, 7, 5, isCutOff},
		{"no trailer", whole[:len(whole)-1], Broken, 7, 5, isCutOff},
		{"cut in a later frame", film[:len(film)-4], Broken, 7, 5, isCutOff},
		{"zeros for the rest", join(whole[:len(whole)-3], make([]byte, 900)), Broken, 7, 5, isCutOff},
		{"no frame", join(head, []byte{gifTrailer}), Broken, 7, 5, hasNoImage},
		{"garbage for a frame", join(head, []byte("\x99\x99")), Broken, 7, 5, isDamaged},
	})
}
