package imagehash

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

func FuzzBase64(f *testing.F) {
	for _, text := range []string{
		"", "=", "A", "+v/+/Q==", "-v_-_Q", "+v/+\r\n/R=", "AA==AAAA", "AA!A",
		"data:image/png;base64,+v/+/Q==", "Data:;charset=x;BASE64,%2Bv/+",
		"data:text/plain,a%20b%", "data:", " data:,\n", "data:;base64;x=1, AA A",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, ok := referenceDecode(string(text))
		got, err := DecodeBase64(text)
		sum, size, sumErr := Base64(text)
		if (err == nil) != ok || (sumErr == nil) != ok {
			t.Fatalf("errors %v and %v, reference says ok=%v", err, sumErr, ok)
		}
		switch {
		case !ok && (!errors.Is(err, ErrNotBase64) || size != 0 || sum != Of(text)):
			t.Fatalf("broken text: %v, %d, %v", sum, size, err)
		case ok && (!bytes.Equal(got, want) || size != len(want) || sum != Of(want)):
			t.Fatalf("got %q, size %d; reference says %q", got, size, want)
		}
	})
}

// FuzzDress gives the same bytes any dress and wants the same sum.
func FuzzDress(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	f.Add([]byte("\x89PNG\r\n\x1a\n"), uint64(1))
	f.Add(noise(1000), uint64(2))
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		text := dress(raw, rand.New(rand.NewPCG(seed, 0)))
		expectDecoded(t, text, raw)
	})
}

// dress writes raw as base64 in a manner that r chooses.
func dress(raw []byte, r *rand.Rand) string {
	var out strings.Builder
	out.WriteString([]string{"", "", " ", "data:image/png;base64,", "\tDaTa:;X=y;bAsE64,"}[r.IntN(5)])
	spaces := []int{0, 0, 2, 77, 4096}[r.IntN(5)]
	urlSafe := r.IntN(3) // never, always, at times
	for i, c := range []byte(base64.RawStdEncoding.EncodeToString(raw)) {
		if spaces > 0 && i%spaces == spaces-1 {
			out.WriteString([]string{"\n", "\r\n", " ", "\t \f"}[r.IntN(4)])
		}
		if urlSafe == 1 || urlSafe == 2 && r.IntN(2) == 0 {
			c = urlSafeTwin(c)
		}
		out.WriteByte(c)
	}
	out.WriteString(strings.Repeat("=", r.IntN(5)))
	return out.String()
}

func urlSafeTwin(c byte) byte {
	switch c {
	case '+':
		return '-'
	case '/':
		return '_'
	}
	return c
}

// referenceDecode is the slow, obvious way to do what DecodeBase64 does.
func referenceDecode(text string) (decoded []byte, ok bool) {
	const spaces = " \t\r\n\f"
	trimmed := strings.TrimLeft(text, spaces)
	if len(trimmed) >= 5 && strings.EqualFold(trimmed[:5], "data:") && strings.Contains(trimmed, ",") {
		header, body, _ := strings.Cut(trimmed, ",")
		text = referenceUnescape(body)
		inBase64 := false
		for i, p := range strings.Split(header, ";") {
			inBase64 = inBase64 || i > 0 && strings.ToLower(strings.Trim(p, spaces)) == "base64"
		}
		if !inBase64 {
			return []byte(text), true
		}
	}
	for _, s := range strings.Split(spaces, "") {
		text = strings.ReplaceAll(text, s, "")
	}
	text = strings.TrimRight(text, "=")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "-", "+"), "_", "/")
	decoded, err := base64.RawStdEncoding.DecodeString(text)
	return decoded, err == nil
}

func referenceUnescape(text string) string {
	for i := 0; i < len(text); i++ {
		if i+3 > len(text) || text[i] != '%' {
			continue
		}
		if c, err := url.PathUnescape(text[i : i+3]); err == nil {
			text = text[:i] + c + text[i+3:]
		}
	}
	return text
}
