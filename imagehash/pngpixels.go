package imagehash

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"io"
)

const (
	pngSampleBytes  = 32 << 10  // of the compressed stream
	pngInflateBytes = 512 << 10 // of what comes out of it; bombs stop here, too
)

// pngPixels is the start of the zlib stream that a PNG spreads over its IDAT
// chunks.
type pngPixels struct {
	sample []byte
	cut    bool // the stream goes on behind the sample
}

// add takes the data of the next IDAT chunk.
func (p *pngPixels) add(data []byte) {
	room := pngSampleBytes - len(p.sample)
	if len(data) > room {
		data, p.cut = data[:room], true
	}
	p.sample = append(p.sample, data...)
}

// check inflates the first rows and says what is wrong with them, if anything.
func (p *pngPixels) check(h pngHeader) (detail string) {
	if len(p.sample) == 0 {
		return hasNoImage
	}
	filter, size, err := p.inflate()
	switch {
	case isCorrupt(err):
		return "has corrupt pixel data"
	case size > 0 && filter > 4: // each row starts with the number of its filter
		return "has corrupt pixel data"
	case !p.cut && endsEarly(err) && tooFew(size, h):
		return "has less pixel data than its size needs"
	}
	return ""
}

// inflate returns the first byte and the number of all those that come out of the
// sample. err is nil if there would be more.
func (p *pngPixels) inflate() (first byte, size int64, err error) {
	z, err := zlib.NewReader(bytes.NewReader(p.sample))
	if err != nil {
		return 0, 0, err
	}
	var start [1]byte
	if _, err = io.ReadFull(z, start[:]); err != nil {
		return 0, 0, err
	}
	size, err = io.CopyN(io.Discard, z, pngInflateBytes)
	return start[0], size + 1, err
}

// isCorrupt tells damage from a stream that merely ends with the sample.
func isCorrupt(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt) || errors.Is(err, zlib.ErrHeader) ||
		errors.Is(err, zlib.ErrDictionary) || errors.Is(err, zlib.ErrChecksum)
}

func endsEarly(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// tooFew tells whether n bytes cannot hold the pixels. It leaves out the filter
// bytes and the padding of rows, and so holds for interlaced images, too.
func tooFew(n int64, h pngHeader) bool {
	return uint64(n)*8/h.bitsPerPixel() < uint64(h.width)*uint64(h.height)
}
