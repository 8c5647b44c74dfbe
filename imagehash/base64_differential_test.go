package imagehash

import (
	"bytes"
	"encoding/base64"
	"testing"
)

// FuzzBase64Differential holds the fast decoder against the one of the standard
// library. The texts are long enough for whole blocks to go the fast way, and
// have something odd spliced in anywhere.
func FuzzBase64Differential(f *testing.F) {
	f.Add("", uint32(100), uint32(50), []byte("\n"), false)
	f.Add("", uint32(3*blockBytes), uint32(2*blockChars), []byte("-_+/"), false)
	f.Add("", uint32(3*blockBytes+1), uint32(2*blockChars-1), []byte("=="), true)
	f.Add("data:;base64,", uint32(2*blockBytes), uint32(blockChars-1), []byte("%2B%3d%"), true)
	f.Add("data:;base64,", uint32(2*blockBytes+2), uint32(1<<31), []byte("%3D \r\n="), false)
	f.Add("\tDATA:image/png;base64 ,", uint32(blockBytes), uint32(33), []byte{0x80}, false)
	for c := range 256 { // each byte, where a vector of 32 ends or begins
		f.Add("", uint32(100), uint32(63+c%2), []byte{byte(c)}, c%4 < 2)
	}
	raw := noise(4 * blockBytes)
	f.Fuzz(func(t *testing.T, prefix string, size, at uint32, odd []byte, urlSafe bool) {
		alphabet := base64.StdEncoding
		if urlSafe {
			alphabet = base64.URLEncoding
		}
		text := alphabet.AppendEncode([]byte(prefix), raw[:int(size)%(len(raw)+1)])
		cut := int(at) % (len(text) + 1)
		expectAsStandard(t, append(text[:cut:cut], append(odd, text[cut:]...)...))
		for i := 0; i < len(odd) && cut+i < len(text); i++ { // and in place of what was there
			text[cut+i] = odd[i]
		}
		expectAsStandard(t, text)
	})
}

func expectAsStandard(t *testing.T, text []byte) {
	t.Helper()
	want, wantErr := standardDecode(text)
	got, err := DecodeBase64(text)
	if err != wantErr || !bytes.Equal(got, want) {
		t.Fatalf("%.60q: %d bytes, error %v; want %d, %v", text, len(got), err, len(want), wantErr)
	}
	wantSum := Of(want)
	if wantErr != nil {
		wantSum = Of(text)
	}
	sum, size, err := Base64(text)
	if err != wantErr || sum != wantSum || size != len(want) {
		t.Fatalf("%.60q: sum %v of %d bytes, error %v; want %v, %d, %v", text, sum, size, err, wantSum, len(want), wantErr)
	}
}

// standardDecode is what DecodeBase64 did before it took anything at a gallop:
// it brings all of the text into the standard alphabet first.
func standardDecode(text []byte) ([]byte, error) {
	if header, body, ok := cutDataURL(text); ok {
		text = percentDecode(body)
		if !saysBase64(header) {
			return text, nil
		}
	}
	var plain []byte
	for _, c := range bytes.TrimRight(text, "="+asciiSpaces) {
		if width[c] == 1 {
			plain = append(plain, standard[c])
		}
	}
	decoded, err := base64.RawStdEncoding.AppendDecode(nil, plain)
	if err != nil {
		return nil, ErrNotBase64
	}
	return decoded, nil
}
