package imagehash

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// BenchmarkBase64 measures the sum of 10 MB of base64 beside the bare SHA-256 of
// the same bytes, in turns, so that a busy machine slows both: x-sha256 is how
// many times longer the whole takes, by the medians.
func BenchmarkBase64(b *testing.B) {
	raw := noise(10 << 20)
	std := base64.StdEncoding.EncodeToString(raw)
	for _, bench := range []struct{ name, text string }{
		{"Clean", std},
		{"DataURL", "data:image/png;base64," + std},
		{"Wrapped", string(wrap([]byte(std), 76, "\r\n"))},
		{"URLSafe", base64.RawURLEncoding.EncodeToString(raw)},
	} {
		text := []byte(bench.text)
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var ours, bare []time.Duration
			for b.Loop() {
				start := time.Now()
				sum, _, err := Base64(text)
				middle := time.Now()
				want := Of(raw)
				ours = append(ours, middle.Sub(start))
				bare = append(bare, time.Since(middle))
				if err != nil || sum != want {
					b.Fatalf("sum %v, error %v, want %v", sum, err, want)
				}
			}
			slices.Sort(ours)
			slices.Sort(bare)
			b.ReportMetric(float64(ours[len(ours)/2])/float64(bare[len(bare)/2]), "x-sha256")
		})
	}
}

// noise returns n bytes that are random but the same in every run.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// wrap puts the line break after every width characters.
func wrap(text []byte, width int, lineBreak string) []byte {
	var out bytes.Buffer
	for len(text) > width {
		out.Write(text[:width])
		out.WriteString(lineBreak)
		text = text[width:]
	}
	out.Write(text)
	return out.Bytes()
}
