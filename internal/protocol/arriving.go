package protocol

import (
	"bytes"
	"math"

	"imagebreaker/imagehash"
)

// Arriving takes the sums of a body's long base64 strings while the body
// arrives, so that they are there when it is scanned. It takes whatever stands
// between two quotation marks for a string: where that is wrong, Scan does not
// find the sum under the string's place and takes it itself.
//
// The zero value is ready, for one body. It must not be used by several
// goroutines at once.
type Arriving struct {
	swept int // so far there are no more quotation marks
	begin int // where the newest string begins
	text  imagehash.Growing
	sums  map[int]arrived // by where the string begins
}

type arrived struct {
	end  int
	sum  imagehash.Sum
	size int // of the bytes
}

// shortest is the length from which on a string's sum is worth remembering. A
// prompt's long texts have escapes or a space in their beginning.
const shortest = 16 << 10

// Look takes what has arrived of the body: the same as the last time, and more.
// A fault in it only means that Scan has everything to do itself.
func (a *Arriving) Look(body []byte) {
	defer func() {
		if recover() != nil {
			*a = Arriving{swept: math.MaxInt}
		}
	}()
	for a.swept < len(body) {
		i := bytes.IndexByte(body[a.swept:], '"')
		if i < 0 {
			a.text.Look(body[a.begin:])
			a.swept = len(body)
			return
		}
		a.over(body, a.swept+i)
		a.swept += i + 1
	}
}

// over takes note of the string that ends with a quotation mark.
func (a *Arriving) over(body []byte, end int) {
	text := body[a.begin:end]
	if len(text) >= shortest && bytes.IndexByte(text, '\\') < 0 && bytes.IndexByte(text[:shortest], ' ') < 0 {
		if sum, size, err := a.text.End(text); err == nil {
			if a.sums == nil {
				a.sums = map[int]arrived{}
			}
			a.sums[a.begin] = arrived{end, sum, size}
		}
	}
	a.begin, a.text = end+1, imagehash.Growing{}
}

// sum is what was found of the string whose content is body[start:end]; nothing
// if a is nil.
func (a *Arriving) sum(start, end int) (imagehash.Sum, int, bool) {
	if a == nil {
		return imagehash.Sum{}, 0, false
	}
	s, ok := a.sums[start]
	return s.sum, s.size, ok && s.end == end
}
