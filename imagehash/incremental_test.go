package imagehash

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// grown is the sum of a text that arrives in pieces.
func grown(text []byte, piece int) (Sum, int, error) {
	var inc Incremental
	for n := piece; n < len(text); n += piece {
		inc.Advance(text[:n])
	}
	return inc.Finish(text)
}

// incrementalTexts are texts of several blocks, each odd in its own way.
func incrementalTexts() []string {
	data := make([]byte, 150<<10)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	plain := base64.StdEncoding.EncodeToString(data)
	at := func(i int, s string) string { return plain[:i] + s + plain[i:] }
	return []string{
		"", "AAAA", plain, plain + "AA", plain + "AA==", plain + "====\n",
		base64.URLEncoding.EncodeToString(data),
		"data:image/png;base64," + plain, "DATA:;BASE64," + plain[:blockChars], "  data:image/png;base64," + plain,
		"data:image/png," + plain, "data:image/png;base64," + at(blockChars, "%0A"),
		"data:image/png;base64" + plain, // no comma
		at(10, "\n"), at(blockChars, "\n"), at(blockChars+1, "\r\n"), at(100, "*"), at(2*blockChars+5, "*"), at(blockChars, "="),
		at(blockChars, "data:image/png;base64,"), plain[:blockChars] + "data:;base64,AAAA",
		plain[:blockChars-2] + "==", plain[:blockChars-1] + "=" + plain[:40], plain[:blockChars] + "=", plain[:blockChars+1],
		strings.Repeat("words and words, ", 10000), strings.Repeat(" ", 3*blockChars),
	}
}

func TestIncremental(t *testing.T) {
	t.Parallel()
	for i, s := range incrementalTexts() {
		for _, piece := range []int{1000, blockChars - 1, blockChars, blockChars + 1, 3 * blockChars} {
			t.Run(fmt.Sprint(i, piece), func(t *testing.T) {
				t.Parallel()
				wantGrown(t, []byte(s), piece)
			})
		}
	}
}

func wantGrown(t *testing.T, text []byte, piece int) {
	t.Helper()
	before := bytes.Clone(text)
	sum, size, err := Base64(text)
	if s, n, e := grown(text, piece); s != sum || n != size || e != err {
		t.Errorf("%d bytes in pieces of %d: %s %d %v, want %s %d %v", len(text), piece, s.Short(), n, e, sum.Short(), size, err)
	}
	if !bytes.Equal(text, before) {
		t.Error("the text has changed")
	}
}

// FuzzIncremental puts something into a text of several blocks.
func FuzzIncremental(f *testing.F) {
	for i := range incrementalTexts() {
		f.Add(uint(i), uint(blockChars), "%0A\n=", uint(blockChars+7))
	}
	texts := incrementalTexts()
	f.Fuzz(func(t *testing.T, n, at uint, put string, piece uint) {
		text := texts[n%uint(len(texts))]
		at %= uint(len(text)) + 1
		wantGrown(t, []byte(text[:at]+put+text[at:]), int(piece%(3*blockChars))+1000)
	})
}
