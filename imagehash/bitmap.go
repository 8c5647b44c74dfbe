package imagehash

import (
	"bytes"
	"encoding/binary"
)

// The formats in this file are told apart and measured, but not checked for
// damage: no vision API takes them in either case.

// isBMP wants a known size of the second header behind "BM", with which a text
// may start as well.
func isBMP(b []byte) bool {
	if len(b) < 26 || !bytes.HasPrefix(b, []byte("BM")) {
		return false
	}
	switch binary.LittleEndian.Uint32(b[14:]) {
	case 12, 16, 40, 52, 56, 64, 108, 124:
		return true
	}
	return false
}

func inspectBMP(b []byte) Inspection {
	in := Inspection{Format: BMP}.unsupported()
	if b[14] == 12 { // the header of OS/2
		return in.sized(littleSize(b[18:]))
	}
	width := int32(binary.LittleEndian.Uint32(b[18:]))
	height := int32(binary.LittleEndian.Uint32(b[22:]))
	return in.sized(magnitude(width), magnitude(height))
}

// magnitude undoes the sign of a height, which says that rows run downwards.
func magnitude(v int32) uint64 {
	return uint64(max(int64(v), -int64(v)))
}

const (
	icoHeader = 6
	icoEntry  = 16
)

// isICO wants a first entry that points behind the directory, since the magic
// number is little more than zeros.
func isICO(b []byte) bool {
	if len(b) < icoHeader+icoEntry || b[0] != 0 || b[1] != 0 || b[2] != 1 && b[2] != 2 || b[3] != 0 {
		return false
	}
	count := uint64(binary.LittleEndian.Uint16(b[4:]))
	size := binary.LittleEndian.Uint32(b[icoHeader+8:])
	offset := uint64(binary.LittleEndian.Uint32(b[icoHeader+12:]))
	return count > 0 && size > 0 && offset >= icoHeader+count*icoEntry
}

// inspectICO returns the size of the largest icon.
func inspectICO(b []byte) Inspection {
	in := Inspection{Format: ICO}.unsupported()
	entries := b[icoHeader:]
	for range binary.LittleEndian.Uint16(b[4:]) {
		if len(entries) < icoEntry {
			break
		}
		width, height := icoLength(entries[0]), icoLength(entries[1])
		if width*height > in.Width*in.Height {
			in.Width, in.Height = width, height
		}
		entries = entries[icoEntry:]
	}
	return in
}

// icoLength reads one byte, in which 256 does not fit and is written as 0.
func icoLength(b byte) int {
	if b == 0 {
		return 256
	}
	return int(b)
}

func isTIFF(b []byte) bool {
	for _, magic := range []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"} { // "+" is BigTIFF
		if bytes.HasPrefix(b, []byte(magic)) {
			return true
		}
	}
	return false
}

// inspectTIFF reads the size of the first image from its directory.
func inspectTIFF(b []byte) Inspection {
	in := Inspection{Format: TIFF}.unsupported()
	var order binary.ByteOrder = binary.BigEndian
	if b[0] == 'I' {
		order = binary.LittleEndian
	}
	if len(b) < 8 || order.Uint16(b[2:]) != 42 {
		return in
	}
	at := uint64(order.Uint32(b[4:]))
	if at+2 > uint64(len(b)) {
		return in
	}
	return in.sized(tiffSize(b[at+2:], order, int(order.Uint16(b[at:]))))
}

// tiffSize looks for the tags ImageWidth and ImageLength among count entries.
func tiffSize(entries []byte, order binary.ByteOrder, count int) (width, height uint64) {
	const entry, short = 12, 3
	for range count {
		if len(entries) < entry {
			break
		}
		value := uint64(order.Uint32(entries[8:]))
		if order.Uint16(entries[2:]) == short {
			value = uint64(order.Uint16(entries[8:]))
		}
		switch order.Uint16(entries) {
		case 256:
			width = value
		case 257:
			height = value
		}
		entries = entries[entry:]
	}
	return width, height
}
