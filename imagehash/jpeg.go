package imagehash

import (
	"bytes"
	"encoding/binary"
)

// JPEG markers, ITU-T T.81 table B.1.
const (
	jpegTEM  = 0x01
	jpegSOF0 = 0xc0
	jpegDHT  = 0xc4
	jpegJPG  = 0xc8
	jpegDAC  = 0xcc
	jpegSOFn = 0xcf
	jpegRST0 = 0xd0
	jpegSOI  = 0xd8
	jpegEOI  = 0xd9
	jpegSOS  = 0xda
	jpegLS   = 0xf7 // the frame header of JPEG-LS
)

func isJPEG(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0xff, jpegSOI}) && (len(b) == 2 || b[2] == 0xff)
}

// inspectJPEG walks the segments up to the first scan, then looks for the end
// marker: only the segments in front can hold another one, in a thumbnail.
func inspectJPEG(b []byte) Inspection {
	in := Inspection{Format: JPEG}
	framed := false
	rest := b[2:]
	for range maxSteps {
		marker, behind, ok := nextJPEGMarker(rest)
		switch {
		case !ok:
			return in.broken(isCutOff)
		case marker == jpegEOI:
			return in.broken(hasNoImage)
		case jpegStandsAlone(marker):
			rest = behind
			continue
		}
		segment, behind, detail := cutJPEGSegment(behind)
		if detail == "" && isJPEGFrame(marker) {
			framed = true
			in, detail = in.readJPEGFrame(segment)
		}
		switch {
		case detail != "":
			return in.broken(detail)
		case marker == jpegSOS:
			return in.finishJPEG(behind, framed)
		}
		rest = behind
	}
	return in.ok()
}

// nextJPEGMarker skips to behind the next marker of b. Like all decoders it puts
// up with bytes that belong to no segment, and any number of fill bytes. ok is
// false if b holds no marker.
func nextJPEGMarker(b []byte) (marker byte, rest []byte, ok bool) {
	at := bytes.IndexByte(b, 0xff)
	if at < 0 {
		return 0, nil, false
	}
	for at < len(b) && b[at] == 0xff {
		at++
	}
	if at == len(b) {
		return 0, nil, false
	}
	return b[at], b[at+1:], true
}

// cutJPEGSegment splits b, which starts with a segment's length, or says why
// that cannot be done.
func cutJPEGSegment(b []byte) (segment, rest []byte, detail string) {
	if len(b) < 2 {
		return nil, nil, isCutOff
	}
	length := int(binary.BigEndian.Uint16(b))
	switch {
	case length < 2:
		return nil, nil, isDamaged
	case length > len(b):
		return nil, nil, isCutOff
	}
	return b[2:length], b[length:], ""
}

// jpegStandsAlone tells whether no length follows the marker. 0 is no marker at
// all, but a byte of pixels that went astray.
func jpegStandsAlone(marker byte) bool {
	return marker <= jpegTEM || jpegRST0 <= marker && marker <= jpegSOI
}

func isJPEGFrame(marker byte) bool {
	switch marker {
	case jpegDHT, jpegJPG, jpegDAC:
		return false
	}
	return jpegSOF0 <= marker && marker <= jpegSOFn || marker == jpegLS
}

// readJPEGFrame takes the size from a frame header. A height of 0 is valid: it
// then follows behind the first scan.
func (in Inspection) readJPEGFrame(segment []byte) (_ Inspection, detail string) {
	if len(segment) < 6 {
		return in, isDamaged
	}
	height := binary.BigEndian.Uint16(segment[1:])
	width := binary.BigEndian.Uint16(segment[3:])
	components := int(segment[5])
	if width == 0 || components == 0 || len(segment) < 6+3*components {
		return in, "has a damaged header"
	}
	return in.sized(uint64(width), uint64(height)), ""
}

// finishJPEG judges the file at its first scan, whose pixels start scan.
func (in Inspection) finishJPEG(scan []byte, framed bool) Inspection {
	switch {
	case !framed:
		return in.broken("has no frame header")
	case !hasJPEGEnd(scan):
		return in.broken(isCutOff)
	}
	return in.ok()
}

// hasJPEGEnd looks for the end marker, which pixels never contain: first where it
// should be, then everywhere, because phones put whole videos behind it.
func hasJPEGEnd(scan []byte) bool {
	const near = 64 << 10
	end := []byte{0xff, jpegEOI}
	tail := scan[max(0, len(scan)-near):]
	return bytes.Contains(tail, end) || bytes.Contains(scan, end)
}
