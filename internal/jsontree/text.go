package jsontree

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/segmentio/asm/ascii"
)

const (
	ones  = 0x0101010101010101 // times a byte: eight of them
	highs = 0x80 * ones

	manyPlain  = 256 // a run that is so long is likely to go on; a multiple of 8
	plainBlock = 2 << 10
)

// text goes past a string and tells whether it holds escapes. Broken UTF-8 and
// halves of surrogate pairs pass.
func (r *reader) text() (escaped, ok bool) {
	src := r.src
	i := r.pos + 1
	for {
		for run := i; len(src)-i >= 8; {
			special := specials(binary.LittleEndian.Uint64(src[i:]))
			if special != 0 {
				i += bits.TrailingZeros64(special) / 8
				break
			}
			if i += 8; i-run == manyPlain {
				i += plainBlocks(src[i:])
			}
		}
		for i < len(src) && src[i] >= ' ' && src[i] != '"' && src[i] != '\\' {
			i++
		}
		r.pos = i
		if i == len(src) || src[i] < ' ' {
			return escaped, false
		}
		if src[i] == '"' {
			r.pos++
			return escaped, true
		}
		for escaped = true; i < len(src) && src[i] == '\\'; {
			n := escape(src[i:])
			if n == 0 {
				return escaped, false
			}
			i += n
		}
	}
}

// specials sets the high bit of the first byte of x, counted from the low end,
// that ends a run of plain text: a quote, a backslash, a control character. Bits
// above that one say nothing.
func specials(x uint64) uint64 {
	// A byte that is too small for a subtraction gets the high bit by it, and so
	// may those above it. Bytes beyond ASCII, which have it already, are left out.
	control := x - ' '*ones
	quote := x ^ '"'*ones - ones
	backslash := x ^ '\\'*ones - ones
	return (control | quote | backslash) &^ x & highs
}

// plainBlocks counts the bytes of the whole blocks before the first that has
// anything but printable ASCII, a quote or a backslash in it. Nothing else goes
// through megabytes of base64 as fast.
func plainBlocks(b []byte) int {
	n := 0
	for ; len(b)-n >= plainBlock; n += plainBlock {
		block := b[n : n+plainBlock]
		if bytes.IndexByte(block, '"') >= 0 || bytes.IndexByte(block, '\\') >= 0 || !ascii.ValidPrint(block) {
			break
		}
	}
	return n
}

// escape is the length of the escape that b begins with; 0 if it is none.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5]) {
			return 6
		}
	}
	return 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
