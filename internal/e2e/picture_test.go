package e2e_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"math/rand/v2"
	"testing"

	"imagebreaker/imagehash"
)

// picture is a PNG, whole or not.
type picture []byte

// whole is a small PNG of noise.
func whole(t *testing.T) picture {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	im := image.NewRGBA(image.Rect(0, 0, 12, 12))
	for i := range im.Pix {
		im.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, im))
	return b.Bytes()
}

// truncated is the same, less its end.
func truncated(t *testing.T) picture {
	t.Helper()
	p := whole(t)
	return p[:len(p)*2/3]
}

func (p picture) base64() string  { return base64.StdEncoding.EncodeToString(p) }
func (p picture) dataURL() string { return "data:image/png;base64," + p.base64() }

// needle is a part of a body by which the picture is known in it.
func (p picture) needle() string { b := p.base64(); return b[len(b)/2:] }

// sum is how texts name the picture.
func (p picture) sum() string { return imagehash.Of(p).Short() }
