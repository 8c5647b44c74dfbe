package imagehash

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"sync"

	"github.com/segmentio/asm/base64"
)

// ErrNotBase64 says that a text is no base64 in any of the dresses that Base64
// understands.
var ErrNotBase64 = errors.New("not base64")

// Base64 returns the sum and the size of the bytes that text holds.
//
// text may start with "data:...;base64," in any letter case, use the standard or
// the URL-safe alphabet or both, hold line breaks, spaces and tabs, and have its
// padding complete, missing or in excess at the end. A data URL without
// ";base64" is percent-decoded instead. JSON escapes must be undone beforehand.
// Empty text is valid: it holds no bytes.
//
// If text is not base64 the error is ErrNotBase64, the size 0 and the sum that
// of text itself, so that it never equals the sum of a valid prefix.
func Base64(text []byte) (sum Sum, size int, err error) {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	d.hash.Reset()
	size, err = d.decode(d.hash, text)
	if err != nil {
		return Of(text), 0, err
	}
	d.hash.Sum(sum[:0])
	return sum, size, nil
}

// DecodeBase64 returns the bytes that text holds, by the rules of Base64. If
// text is not base64 it returns nil and ErrNotBase64.
func DecodeBase64(text []byte) ([]byte, error) {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	var decoded bytes.Buffer
	decoded.Grow(base64.RawStdEncoding.DecodedLen(len(text)))
	if _, err := d.decode(&decoded, text); err != nil {
		return nil, err
	}
	return decoded.Bytes(), nil
}

const (
	blockChars = 16 << 10 // a multiple of 4, so that blocks end between quanta
	blockBytes = blockChars / 4 * 3
	wordSlack  = 8 // the decoder is fastest where it may write whole words
)

// decoder decodes block by block, so that a body of 30 MB costs no more memory
// than a small one.
type decoder struct {
	hash  hash.Hash
	chars [blockChars + 4]byte // a block brought into the standard alphabet
	bytes [blockBytes + wordSlack]byte
}

var decoders = sync.Pool{New: func() any { return &decoder{hash: sha256.New()} }}

// decode writes the bytes that text holds to w, which must not fail, and returns
// their number.
func (d *decoder) decode(w io.Writer, text []byte) (size int, err error) {
	header, body, isURL := cutDataURL(text)
	if isURL {
		if !saysBase64(header) {
			return w.Write(percentDecode(body))
		}
		text = body
	}
	return d.decodeText(w, text, isURL)
}

// decodeText decodes what is left of the text when a data URL's head is gone.
func (d *decoder) decodeText(w io.Writer, text []byte, isURL bool) (size int, err error) {
	text = trimEnd(text)
	clean := d.decodeClean(w, text)
	rest := text[clean:]
	if isURL { // a percent sign is never clean
		rest = trimEnd(percentDecode(rest))
	}
	odd, err := d.decodeOdd(w, rest)
	return clean/4*3 + odd, err
}

// trimEnd cuts off what may stand at the end. Any '=' left over is in the middle.
func trimEnd(text []byte) []byte { return bytes.TrimRight(text, "="+asciiSpaces) }

// decodeClean decodes blocks from the start of text while they are nothing but
// standard base64, and returns the number of characters that it took.
func (d *decoder) decodeClean(w io.Writer, text []byte) (taken int) {
	for whole := len(text) &^ 3; taken < whole; {
		block := text[taken:min(taken+blockChars, whole)]
		if !d.decodeBlock(block) {
			break
		}
		w.Write(d.bytes[:len(block)/4*3])
		taken += len(block)
	}
	return taken
}

// decodeBlock decodes whole quanta of standard base64 into d.bytes. It returns
// false if there is anything else among them. The other alphabet is left to
// decodeOdd: the fast decoder's URLEncoding takes a '/' for a wrong number on
// arm64, without an error.
func (d *decoder) decodeBlock(block []byte) bool {
	n, err := base64.StdEncoding.Decode(d.bytes[:], block)
	return err == nil && n == len(block)/4*3 // shorter: it skipped line breaks
}

// decodeOdd decodes text of any dress and returns the number of bytes.
func (d *decoder) decodeOdd(w io.Writer, text []byte) (size int, err error) {
	held := 0 // characters of an unfinished quantum, at the start of d.chars
	for len(text) > 0 {
		block := text[:min(len(text), blockChars)]
		text = text[len(block):]
		n := d.normalize(held, block)
		whole := n &^ 3
		if len(text) == 0 {
			whole = n
		}
		decoded, err := base64.RawStdEncoding.Decode(d.bytes[:], d.chars[:whole])
		if err != nil {
			return 0, ErrNotBase64
		}
		w.Write(d.bytes[:decoded])
		size += decoded
		held = copy(d.chars[:], d.chars[whole:n])
	}
	return size, nil
}

// normalize appends block to the first n of d.chars, in the standard alphabet
// and without white space, and returns how many there are then. Whatever is no
// base64 becomes a character that the standard decoder refuses. There are no
// branches in it: line breaks come too irregularly to be foreseen.
func (d *decoder) normalize(n int, block []byte) int {
	for _, c := range block {
		d.chars[n] = standard[c]
		n += int(width[c])
	}
	return n
}

// standard maps a character to its twin in the standard alphabet, or to 0.
var standard = func() (table [256]byte) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for _, c := range []byte(alphabet) {
		table[c] = c
	}
	table['-'], table['_'] = '+', '/'
	return table
}()

// width is 0 for white space and 1 for everything else.
var width = func() (table [256]byte) {
	for c := range table {
		table[c] = 1
	}
	for _, c := range []byte(asciiSpaces) {
		table[c] = 0
	}
	return table
}()
