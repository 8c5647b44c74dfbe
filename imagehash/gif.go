package imagehash

import (
	"bytes"
	"encoding/binary"
)

// Block introducers of GIF89a. gifPadding is none, but some encoders end a block
// twice.
const (
	gifPadding   = 0x00
	gifExtension = 0x21
	gifFrame     = 0x2c
	gifTrailer   = 0x3b
)

func isGIF(b []byte) bool {
	return bytes.HasPrefix(b, []byte("GIF87a")) || bytes.HasPrefix(b, []byte("GIF89a"))
}

func inspectGIF(b []byte) Inspection {
	in := Inspection{Format: GIF}
	if len(b) < 13 {
		return in.broken(isCutOff)
	}
	in = in.sized(littleSize(b[6:]))
	w := gifWalk{rest: b[13:], steps: maxSteps}
	w.skip(gifTableSize(b[10]))
	detail := w.blocks()
	if in.Width == 0 || in.Height == 0 { // decoders then go by the first frame
		in = in.sized(w.width, w.height)
	}
	if detail != "" {
		return in.broken(detail)
	}
	return in.ok()
}

// littleSize reads a width and a height of 16 bits each.
func littleSize(b []byte) (width, height uint64) {
	return uint64(binary.LittleEndian.Uint16(b)), uint64(binary.LittleEndian.Uint16(b[2:]))
}

// gifTableSize returns the size of the colour table that the flags announce, in
// bytes.
func gifTableSize(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// gifWalk goes from block to block. It is cut once the file turns out too short.
type gifWalk struct {
	rest          []byte
	cut           bool
	frames        int
	width, height uint64 // of the first frame
	steps         int
}

// blocks looks at all blocks up to the trailer and says what is wrong, if
// anything is.
func (w *gifWalk) blocks() (detail string) {
	for !w.cut && w.steps > 0 {
		switch introducer := w.next(); {
		case w.cut:
		case introducer == gifPadding:
		case introducer == gifExtension:
			w.skip(1)
			w.skipSubBlocks()
		case introducer == gifFrame:
			w.frame()
		case introducer == gifTrailer && w.frames == 0:
			return hasNoImage
		case w.frames > 0: // the trailer, or garbage at which decoders stop
			return ""
		default:
			return isDamaged
		}
	}
	if w.cut {
		return isCutOff
	}
	return ""
}

func (w *gifWalk) frame() {
	if len(w.rest) < 9 {
		w.cut = true
		return
	}
	if w.frames == 0 {
		w.width, w.height = littleSize(w.rest[4:])
	}
	table := gifTableSize(w.rest[8])
	w.skip(9 + table + 1) // the last byte is the code size of the pixels
	w.skipSubBlocks()
	if !w.cut {
		w.frames++
	}
}

func (w *gifWalk) skipSubBlocks() {
	for !w.cut && w.steps > 0 {
		size := w.next()
		if size == 0 {
			return
		}
		w.skip(int(size))
	}
}

// next takes one byte; it is 0 if the file is cut.
func (w *gifWalk) next() byte {
	w.steps--
	before := w.rest
	w.skip(1)
	if w.cut {
		return 0
	}
	return before[0]
}

func (w *gifWalk) skip(n int) {
	if n > len(w.rest) {
		w.rest, w.cut = nil, true
		return
	}
	w.rest = w.rest[n:]
}
