package imagehash

import (
	"crypto/sha256"
	"hash"
)

// Incremental takes the sum of a base64 text while it is still arriving, so that
// little is left to do when it is whole. The zero value is ready, for one text.
type Incremental struct {
	hash  hash.Hash
	start int // where base64 begins in the text
	taken int // characters of it that are in the hash
	isURL bool
	odd   bool // there is something in it that has to be seen as a whole
}

// Advance takes what has arrived of the text: the same as the last time, and more.
func (i *Incremental) Advance(text []byte) {
	if i.odd || len(text)-i.start-i.taken < blockChars {
		return
	}
	if i.hash == nil {
		i.begin(text)
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	for text = text[i.start+i.taken:]; len(text) >= blockChars && !i.odd; text = text[blockChars:] {
		i.take(d, text[:blockChars])
	}
}

func (i *Incremental) begin(text []byte) {
	i.hash = sha256.New()
	header, body, isURL := cutDataURL(text)
	if isURL {
		i.isURL, i.start, i.odd = true, len(text)-len(body), !saysBase64(header)
	}
}

// take adds a block, which ends between quanta.
func (i *Incremental) take(d *decoder, block []byte) {
	if i.odd = !d.decodeBlock(block); !i.odd {
		i.hash.Write(d.bytes[:len(block)/4*3])
		i.taken += len(block)
	}
}

// Finish returns what Base64 returns for the whole text.
func (i *Incremental) Finish(text []byte) (sum Sum, size int, err error) {
	if i.hash == nil || i.odd {
		return Base64(text)
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	rest, err := d.decodeText(i.hash, text[i.start+i.taken:], i.isURL)
	if err != nil {
		return Of(text), 0, err
	}
	i.hash.Sum(sum[:0])
	return sum, i.taken/4*3 + rest, nil
}
