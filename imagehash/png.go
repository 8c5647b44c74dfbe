package imagehash

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	pngCRCBudget = 1 << 20 // bytes of one file whose checksums are verified
)

// isPNG accepts every signature that starts like PNG's: the rest of it exists to
// show damage in transfer.
func isPNG(b []byte) bool {
	return bytes.HasPrefix(b, []byte(pngSignature[:4]))
}

func inspectPNG(b []byte) Inspection {
	in := Inspection{Format: PNG}
	rest, whole := bytes.CutPrefix(b, []byte(pngSignature))
	switch {
	case whole:
		walk := pngWalk{look: in, crcBudget: pngCRCBudget}
		return walk.chunks(rest)
	case bytes.HasPrefix([]byte(pngSignature), b):
		return in.broken(isCutOff)
	case len(b) > 4 && (b[4] == '\r' || b[4] == '\n'):
		return in.broken(hasNewLineEndings)
	}
	return in.broken("has a damaged signature")
}

// pngWalk goes from chunk to chunk.
type pngWalk struct {
	look      Inspection
	header    pngHeader
	pixels    pngPixels
	palette   bool
	crcBudget int
}

// pngChunk is a chunk of a file. It has slices of the file only: there can be
// very many of them.
type pngChunk struct {
	body []byte // name and data, of which crc should be the checksum
	crc  uint32
}

func (c pngChunk) kind() string { return string(c.body[:4]) }
func (c pngChunk) data() []byte { return c.body[4:] }

// chunks looks at all chunks of a file, which start in b.
func (w *pngWalk) chunks(b []byte) Inspection {
	for step := range maxSteps {
		c, rest, detail := nextPNGChunk(b)
		if detail == "" {
			detail = w.check(c, step == 0)
		}
		if detail != "" {
			return w.look.broken(detail)
		}
		if c.kind() == "IEND" {
			return w.finish()
		}
		b = rest
	}
	return w.look.ok()
}

// nextPNGChunk takes the first chunk off b, or says why there is none.
func nextPNGChunk(b []byte) (c pngChunk, rest []byte, detail string) {
	if len(b) < 8 {
		return c, nil, isCutOff
	}
	length := binary.BigEndian.Uint32(b)
	if length > 1<<31-1 || !isPNGChunkType(b[4:8]) {
		return c, nil, isDamaged
	}
	end := 8 + uint64(length)
	if uint64(len(b)) < end+4 {
		return c, nil, isCutOff
	}
	c = pngChunk{body: b[4:end], crc: binary.BigEndian.Uint32(b[end:])}
	return c, b[end+4:], ""
}

func isPNGChunkType(kind []byte) bool {
	for _, c := range kind {
		if c |= 0x20; c < 'a' || 'z' < c {
			return false
		}
	}
	return true
}

// check says what is wrong with a chunk, if anything is.
func (w *pngWalk) check(c pngChunk, first bool) (detail string) {
	switch {
	case first && c.kind() == "CgBI":
		return "is in Apple's own variant of PNG"
	case first != (c.kind() == "IHDR"):
		return "has its header in the wrong place"
	case !w.intact(c):
		return "has a wrong checksum"
	}
	switch c.kind() {
	case "IHDR":
		return w.readHeader(c.data())
	case "PLTE":
		w.palette = true
	case "IDAT":
		w.pixels.add(c.data())
	}
	return ""
}

// intact verifies a checksum while the budget lasts. Decoders put up with a
// wrong one on chunks that they need not understand, whose names start with a
// lower-case letter.
func (w *pngWalk) intact(c pngChunk) bool {
	if c.body[0]&0x20 != 0 || len(c.body) > w.crcBudget {
		return true
	}
	w.crcBudget -= len(c.body)
	return crc32.ChecksumIEEE(c.body) == c.crc
}

func (w *pngWalk) readHeader(data []byte) (detail string) {
	h, ok := parsePNGHeader(data)
	if !ok {
		return "has a damaged header"
	}
	w.header = h
	w.look = w.look.sized(uint64(h.width), uint64(h.height))
	return ""
}

// finish judges the file as a whole, at its IEND.
func (w *pngWalk) finish() Inspection {
	if w.header.colour == pngPaletted && !w.palette {
		return w.look.broken("has no palette")
	}
	if detail := w.pixels.check(w.header); detail != "" {
		return w.look.broken(detail)
	}
	return w.look.ok()
}

const pngPaletted = 3

type pngHeader struct {
	width, height uint32
	depth, colour byte
}

// parsePNGHeader is ok if the fields are among those that the specification
// allows (section 11.2.1).
func parsePNGHeader(data []byte) (h pngHeader, ok bool) {
	if len(data) != 13 {
		return h, false
	}
	h = pngHeader{
		width:  binary.BigEndian.Uint32(data),
		height: binary.BigEndian.Uint32(data[4:]),
		depth:  data[8],
		colour: data[9],
	}
	compression, filter, interlace := data[10], data[11], data[12]
	ok = 0 < h.width && h.width < 1<<31 && 0 < h.height && h.height < 1<<31 &&
		bytes.IndexByte(pngDepths[h.colour], h.depth) >= 0 &&
		compression == 0 && filter == 0 && interlace <= 1
	return h, ok
}

// pngDepths are the bit depths that each colour type allows.
var pngDepths = map[byte][]byte{
	0:           {1, 2, 4, 8, 16}, // grey
	2:           {8, 16},          // RGB
	pngPaletted: {1, 2, 4, 8},
	4:           {8, 16}, // grey and alpha
	6:           {8, 16}, // RGB and alpha
}

// bitsPerPixel is at least 1 for a header that parsed.
func (h pngHeader) bitsPerPixel() uint64 {
	channels := map[byte]uint64{2: 3, 4: 2, 6: 4}[h.colour]
	return max(channels, 1) * uint64(h.depth)
}
