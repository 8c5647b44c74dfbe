package imagehash

import (
	"bytes"
	"encoding/binary"
)

// heifPrefix is how much of a file is searched for its size. Encoders put the
// properties first.
const heifPrefix = 64 << 10

// isHEIF tells whether the file type box names a brand of a still image, or of a
// sequence of them, rather than one of a video.
func isHEIF(b []byte) bool {
	return heifFormat(b) != Unknown
}

func inspectHEIF(b []byte) Inspection {
	in := Inspection{Format: heifFormat(b)}
	return in.sized(heifSize(b[:min(len(b), heifPrefix)])).unsupported()
}

// heifFormat goes by all brands: an AVIF may have "mif1" as its first.
func heifFormat(b []byte) Format {
	format := Unknown
	for _, brand := range ftypBrands(b) {
		switch brand {
		case "avif", "avis":
			return AVIF
		case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "msf1", "miaf":
			format = HEIC
		}
	}
	return format
}

// ftypBrands returns the major brand and the compatible ones of the file type
// box that b starts with.
func ftypBrands(b []byte) (brands []string) {
	const most = 256 // bytes of the box
	if len(b) < 12 || string(b[4:8]) != "ftyp" {
		return nil
	}
	box := b[:min(uint64(binary.BigEndian.Uint32(b)), uint64(len(b)), most)]
	brands = []string{string(b[8:12])}
	for i := 16; i+4 <= len(box); i += 4 { // a version is in between
		brands = append(brands, string(box[i:i+4]))
	}
	return brands
}

// heifSize returns the largest size among the image's "spatial extents" boxes:
// the others are tiles and thumbnails.
func heifSize(b []byte) (width, height uint64) {
	for {
		_, extents, found := bytes.Cut(b, []byte("ispe"))
		if !found || len(extents) < 12 {
			return width, height
		}
		w := uint64(binary.BigEndian.Uint32(extents[4:])) // version and flags come first
		h := uint64(binary.BigEndian.Uint32(extents[8:]))
		if w*h > width*height {
			width, height = w, h
		}
		b = extents
	}
}
