package imagehash

import (
	"crypto/sha256"
	"hash"
)

// Growing takes the sum of a base64 text while it is still arriving, so that
// little is left to do when it is whole. The zero value is ready, for one text.
type Growing struct {
	hash  hash.Hash
	start int // where base64 begins in the text
	taken int // characters of it that are in the hash
	isURL bool
	odd   bool // there is something in it that has to be seen as a whole
}

// Look takes what has arrived of the text: the same as the last time, and more.
func (g *Growing) Look(text []byte) {
	if g.odd || len(text)-g.start-g.taken < blockChars {
		return
	}
	if g.hash == nil {
		g.begin(text)
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	for text = text[g.start+g.taken:]; len(text) >= blockChars && !g.odd; text = text[blockChars:] {
		g.take(d, text[:blockChars])
	}
}

func (g *Growing) begin(text []byte) {
	g.hash = sha256.New()
	header, body, isURL := cutDataURL(text)
	if isURL {
		g.isURL, g.start, g.odd = true, len(text)-len(body), !saysBase64(header)
	}
}

// take adds a block, which ends between quanta.
func (g *Growing) take(d *decoder, block []byte) {
	if g.odd = !d.decodeBlock(block); !g.odd {
		g.hash.Write(d.bytes[:len(block)/4*3])
		g.taken += len(block)
	}
}

// End returns what Base64 returns for the whole text.
func (g *Growing) End(text []byte) (sum Sum, size int, err error) {
	if g.hash == nil || g.odd {
		return Base64(text)
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	rest, err := d.decodeText(g.hash, text[g.start+g.taken:], g.isURL)
	if err != nil {
		return Of(text), 0, err
	}
	g.hash.Sum(sum[:0])
	return sum, g.taken/4*3 + rest, nil
}
