package protocol

import (
	"bytes"
	"math"

	"imagebreaker/imagehash"
)

// Hasher computes the sums of a body's long base64 strings while the body is being
// received, so that Scan need not. It takes anything between two quotation marks for a
// string: if that is wrong, Scan finds no sum at the string's offset and computes it.
//
// The zero value is ready for one body. It must not be used by several goroutines at
// once.
type Hasher struct {
	swept int // how much has been searched for quotation marks
	begin int // where the newest string begins
	text  imagehash.Incremental
	sums  map[int]hashed // by where the string begins
}

type hashed struct {
	end  int
	sum  imagehash.Sum
	size int // of the bytes
}

// minHashed is the length in bytes from which on a string is hashed early. The long
// texts of a prompt have escapes, or a space near their beginning.
const minHashed = 16 << 10

// Advance hashes what has been received of the body so far: the same bytes as the last
// time, and more. If it panics, Scan computes all sums.
func (h *Hasher) Advance(body []byte) {
	defer func() {
		if recover() != nil {
			*h = Hasher{swept: math.MaxInt}
		}
	}()
	for h.swept < len(body) {
		i := bytes.IndexByte(body[h.swept:], '"')
		if i < 0 {
			h.text.Advance(body[h.begin:])
			h.swept = len(body)
			return
		}
		h.endString(body, h.swept+i)
		h.swept += i + 1
	}
}

// endString stores the sum of the string that ends before a quotation mark.
func (h *Hasher) endString(body []byte, end int) {
	text := body[h.begin:end]
	if len(text) >= minHashed && bytes.IndexByte(text, '\\') < 0 && bytes.IndexByte(text[:minHashed], ' ') < 0 {
		if sum, size, err := h.text.Finish(text); err == nil {
			if h.sums == nil {
				h.sums = map[int]hashed{}
			}
			h.sums[h.begin] = hashed{end, sum, size}
		}
	}
	h.begin, h.text = end+1, imagehash.Incremental{}
}

// sum returns the sum and the decoded size of the string whose content is
// body[start:end], if it was hashed. h may be nil.
func (h *Hasher) sum(start, end int) (imagehash.Sum, int, bool) {
	if h == nil {
		return imagehash.Sum{}, 0, false
	}
	s, ok := h.sums[start]
	return s.sum, s.size, ok && s.end == end
}
