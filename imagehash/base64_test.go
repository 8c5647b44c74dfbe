package imagehash

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestBase64Dresses(t *testing.T) {
	t.Parallel()
	// The bytes make both special characters of the alphabet appear: +v/+/Q==
	raw := []byte{0xfa, 0xff, 0xfe, 0xfd}
	for _, text := range []string{
		"+v/+/Q==",
		"+v/+/Q",
		"+v/+/Q=",
		"+v/+/Q====",
		"+v/+/R==", // trailing bits that are not zero
		"-v_-_Q==",
		"-v_-_Q",
		"+v_+_Q",
		"+v/+\n/Q==",
		"+v/+\r\n/Q==\r\n",
		" +\tv / + / Q = = ",
		"\f+v/+/Q",
		"data:image/png;base64,+v/+/Q==",
		"DATA:image/png;BASE64,+v/+/Q==",
		"Data:image/png;charset=utf-8;Base64,-v_-_Q",
		"data:image/png;base64;charset=utf-8,+v/+/Q==",
		"data:image/png; base64 ,+v/+/Q==",
		"data:;base64,+v/+/Q==",
		" \n data:image/png;base64,\n+v/+/Q==",
		"data:image/png;base64,%2Bv/%2b/Q%3D%3d",
		"data:image/png,%fa%FF%Fe%fD",
		"data:,\xfa\xff\xfe%fd",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			expectDecoded(t, text, raw)
		})
	}
}

func TestBase64Empty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \r\n", "=", "====", "data:,", "data:image/png;base64,", "data:image/png;base64,=="} {
		expectDecoded(t, text, nil)
	}
}

func TestBase64PlainDataURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"data:text/plain,a%20b", "a b"},
		{"data:text/plain,100%", "100%"},
		{"data:text/plain,%4", "%4"},
		{"data:text/plain,%zz%41", "%zzA"},
		{"data:text/plain,a,b=", "a,b="},
		{"data:base64,AAAA", "AAAA"}, // a (strange) media type, not a parameter
		{"data:image/svg+xml;utf8,<svg/>", "<svg/>"},
	} {
		expectDecoded(t, c.text, []byte(c.want))
	}
}

func TestBase64Broken(t *testing.T) {
	t.Parallel()
	block := strings.Repeat("AAAA", blockChars/4)
	for name, text := range map[string]string{
		"one character":          "A",
		"length 1 mod 4":         "AAAAA",
		"length 1 padded":        "AAAAA===",
		"length 1 in a data URL": "data:image/png;base64,AAAAA",
		"padding in the middle":  "AA==AAAA",
		"padding, then a letter": "AAA=A",
		"foreign character":      "AA!A",
		"percent":                "%41%41AA",
		"not ASCII":              "AA\u00a0AA",
		"NUL":                    "AA\x00A",
		"data URL without comma": "data:image/png;base64",
		"shortened for a log":    "iVBORw0KGgo...",
		"a URL":                  "https://example.com/a.png",
		"behind a clean block":   block + "AA.A",
		"behind an odd block":    " " + block + "AA.A",
		"length 1 after a block": block + "A",
		"length 1 after odd":     "\n" + block + "A",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sum, size, err := Base64([]byte(text))
			if !errors.Is(err, ErrNotBase64) || size != 0 || sum != Of([]byte(text)) {
				t.Errorf("Base64 = %v, %d, %v; want the sum of the text, 0, ErrNotBase64", sum, size, err)
			}
			if b, err := DecodeBase64([]byte(text)); b != nil || !errors.Is(err, ErrNotBase64) {
				t.Errorf("DecodeBase64 = %d bytes, %v; want nil, ErrNotBase64", len(b), err)
			}
		})
	}
}

// TestBase64BlockEdges puts the end of the text, and the first odd character,
// at and around every border between blocks.
func TestBase64BlockEdges(t *testing.T) {
	t.Parallel()
	for blocks := range 3 {
		for off := -4; off <= 4; off++ {
			n := blocks*blockBytes + off
			if n < 0 {
				continue
			}
			raw := noise(n)
			text := base64.StdEncoding.EncodeToString(raw)
			expectDecoded(t, text, raw)
			expectDecoded(t, "\n"+text, raw)
			expectDecoded(t, base64.RawURLEncoding.EncodeToString(raw), raw)
			for _, at := range []int{blocks*blockChars + off, len(text) - 1} {
				if 0 <= at && at <= len(text) {
					expectDecoded(t, text[:at]+"\r\n"+text[at:], raw)
				}
			}
		}
	}
}

// TestBase64LeavesNothingBehind makes a broken text share a pooled decoder with
// the good one that follows.
func TestBase64LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	raw := noise(2*blockBytes + 5)
	text := base64.StdEncoding.EncodeToString(raw)
	for range 4 {
		if _, _, err := Base64([]byte(text + "!")); err == nil {
			t.Fatal("broken text passed")
		}
		expectDecoded(t, text, raw)
	}
}

// TestBase64Concurrently lets the race detector see the pool at work.
func TestBase64Concurrently(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			raw := noise(blockBytes + n)
			text := base64.StdEncoding.EncodeToString(raw)
			for range 10 {
				expectDecoded(t, text, raw)
				expectDecoded(t, "\n"+text, raw)
			}
		})
	}
	group.Wait()
}

func TestMediaTypeOfDataURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		u, want string
		ok      bool
	}{
		{"data:image/png;base64,AAAA", "image/png", true},
		{"DATA:Image/PNG;charset=x;base64,AAAA", "image/png", true},
		{"data: image/png ;base64,AAAA", "image/png", true},
		{"data:image/svg+xml,<svg/>", "image/svg+xml", true},
		{"data:,x", "", true},
		{"data:;base64,AAAA", "", true},
		{"data:image/png;base64", "", false},
		{"https://example.com/,", "", false},
		{"dat", "", false},
		{"", "", false},
	} {
		if got, ok := MediaTypeOfDataURL([]byte(c.u)); got != c.want || ok != c.ok {
			t.Errorf("MediaTypeOfDataURL(%q) = %q, %v; want %q, %v", c.u, got, ok, c.want, c.ok)
		}
	}
}

func TestSumForms(t *testing.T) {
	t.Parallel()
	const all = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // FIPS 180-4, no bytes
	s := Of(nil)
	for form, c := range map[string]struct{ got, want string }{
		"String": {s.String(), all},
		"Log":    {s.Log(), all[:16]},
		"Short":  {s.Short(), all[:12]},
		"%v":     {fmt.Sprint(s), all},
	} {
		if c.got != c.want {
			t.Errorf("%s = %q, want %q", form, c.got, c.want)
		}
	}
}

// TestBase64Memory keeps a sum of many megabytes from costing memory.
func TestBase64Memory(t *testing.T) {
	text := []byte(base64.StdEncoding.EncodeToString(noise(4 << 20)))
	text[2<<20] = ' ' // from here on it goes the odd way
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Base64(text)
		}
	})
	if perOp := result.AllocedBytesPerOp(); perOp > 256<<10 {
		t.Errorf("%d bytes allocated for one sum, want at most one decoder", perOp)
	}
}

func expectDecoded(t *testing.T, text string, want []byte) {
	t.Helper()
	sum, size, err := Base64([]byte(text))
	if err != nil || size != len(want) || sum != Of(want) {
		t.Errorf("Base64(%.60q) = %v, %d, %v; want %v, %d", text, sum, size, err, Of(want), len(want))
	}
	got, err := DecodeBase64([]byte(text))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("DecodeBase64(%.60q) = %d bytes, %v; want %d", text, len(got), err, len(want))
	}
}
