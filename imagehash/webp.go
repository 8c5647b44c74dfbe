package imagehash

import (
	"bytes"
	"encoding/binary"
)

const riffHeader = 12 // "RIFF", the size of what follows, "WEBP"

func isWebP(b []byte) bool {
	return len(b) >= riffHeader && bytes.HasPrefix(b, []byte("RIFF")) && string(b[8:12]) == "WEBP"
}

// inspectWebP trusts the size in the RIFF header, as libwebp does: a file that is
// shorter is cut off, what is behind it does not belong to the image.
func inspectWebP(b []byte) Inspection {
	in := Inspection{Format: WebP}
	end := 8 + uint64(binary.LittleEndian.Uint32(b[4:]))
	cut := uint64(len(b)) < end
	if end < riffHeader {
		return in.broken("has a damaged header")
	}
	if !cut {
		b = b[:end]
	}
	in, detail := in.readWebPChunks(b[riffHeader:])
	switch {
	case cut:
		return in.broken(isCutOff)
	case detail != "":
		return in.broken(detail)
	}
	return in.ok()
}

// readWebPChunks goes on to the first chunk that holds pixels and says what is
// wrong up to there, if anything is.
func (in Inspection) readWebPChunks(b []byte) (_ Inspection, detail string) {
	for range maxSteps {
		if len(b) == 0 {
			return in, hasNoImage
		}
		if len(b) < 8 {
			return in, isCutOff
		}
		kind, size := string(b[:4]), uint64(binary.LittleEndian.Uint32(b[4:]))
		b = b[8:]
		data := b[:min(size, uint64(len(b)))]
		var pixels bool
		in, pixels, detail = in.readWebPChunk(kind, data)
		switch {
		case size > uint64(len(b)):
			return in, isCutOff
		case pixels || detail != "":
			return in, detail
		}
		b = b[min(size+size&1, uint64(len(b))):]
	}
	return in, ""
}

// readWebPChunk takes from a chunk, which may be cut, what is to be known.
func (in Inspection) readWebPChunk(kind string, data []byte) (_ Inspection, pixels bool, detail string) {
	switch kind {
	case "VP8X":
		in, detail = in.readVP8X(data)
		return in, false, detail
	case "VP8 ":
		in, detail = in.readVP8(data)
		return in, true, detail
	case "VP8L":
		in, detail = in.readVP8L(data)
		return in, true, detail
	case "ANMF":
		return in, true, ""
	}
	return in, false, ""
}

func (in Inspection) readVP8X(data []byte) (_ Inspection, detail string) {
	if len(data) < 10 {
		return in, isDamaged
	}
	return in.sized(uint24(data[4:])+1, uint24(data[7:])+1), ""
}

func uint24(b []byte) uint64 {
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16
}

// readVP8 reads the header of a lossy key frame, RFC 6386 section 9.1.
func (in Inspection) readVP8(data []byte) (_ Inspection, detail string) {
	if len(data) < 10 || data[0]&1 != 0 || string(data[3:6]) != "\x9d\x01\x2a" {
		return in, "has a damaged header"
	}
	width, height := littleSize(data[6:])
	const mask = 1<<14 - 1 // the two bits above are a scale
	return in.sizedOnce(width&mask, height&mask), ""
}

// readVP8L reads the header of a lossless image: a signature, then 14 bits for
// the width and 14 for the height, each less one, one for alpha and three for the
// version.
func (in Inspection) readVP8L(data []byte) (_ Inspection, detail string) {
	if len(data) < 5 || data[0] != 0x2f || data[4]>>5 != 0 {
		return in, "has a damaged header"
	}
	bits := uint64(binary.LittleEndian.Uint32(data[1:]))
	const mask = 1<<14 - 1
	return in.sizedOnce(bits&mask+1, bits>>14&mask+1), ""
}

// sizedOnce keeps the size of a canvas that came first.
func (in Inspection) sizedOnce(width, height uint64) Inspection {
	if in.Width > 0 {
		return in
	}
	return in.sized(width, height)
}
