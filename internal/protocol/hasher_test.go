package protocol

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// longBase64 is n bytes in base64, different for each seed.
func longBase64(n int, seed byte) string {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i*7>>2) ^ seed
	}
	return base64.StdEncoding.EncodeToString(data)
}

// bodyWith is a message with the sources as its images.
func bodyWith(text string, sources ...string) string {
	parts := `{"type":"text","text":"` + text + `"}`
	for _, s := range sources {
		parts += `,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + s + `"}}`
	}
	return `{"model":"m","messages":[{"role":"user","content":[` + parts + `]}]}`
}

// lookedAt is the body scanned after it has come in pieces, with the number of
// sums that were ready.
func lookedAt(t *testing.T, body string, piece int) (*Request, int) {
	t.Helper()
	var a Hasher
	for n := piece; n < len(body); n += piece {
		a.Advance([]byte(body[:n]))
	}
	a.Advance([]byte(body))
	api, call, _ := All().Match(http.MethodPost, &url.URL{Path: "/v1/messages"}, nil)
	r, err := Scan(api, call, http.Header{}, []byte(body), &a)
	if err != nil {
		t.Fatal(err)
	}
	return r, len(a.sums)
}

func TestHasher(t *testing.T) {
	t.Parallel()
	one, two := longBase64(200<<10, 1), longBase64(20<<10, 2)
	for _, c := range []struct {
		name  string
		body  string
		ready int
	}{
		{"two", bodyWith("look", one, two), 2},
		{"a short one", bodyWith("look", one, longBase64(100, 3)), 1},
		{"a data URL", bodyWith("look", "data:image/png;base64,"+one), 1},
		{"line breaks", bodyWith("look", one[:70]+`\n`+one[70:], two), 1},
		{"escaped slashes", bodyWith("look", strings.ReplaceAll(one, "/", `\/`), two), 1},
		{"an escaped quotation mark", bodyWith("look", one[:100000]+`\"`+one[100000:], two), 2},
		{"a backslash in a percent-encoded URL", bodyWith("look", "data:text/plain,"+strings.Repeat(`a\\`, 9000)), 0},
		{"a long prompt", bodyWith(strings.Repeat("words ", 20000), two), 1},
		{"broken", bodyWith("look", one[:50000]+"*"+one[50000:]), 0},
		{"a quotation mark before", bodyWith(`say \"`+two+`\" now`, one), 1},
	} {
		for _, piece := range []int{999, 64 << 10, 256 << 10, 1 << 20} {
			t.Run(fmt.Sprint(c.name, piece), func(t *testing.T) {
				t.Parallel()
				if _, ready := lookedAt(t, c.body, piece); ready != c.ready {
					t.Errorf("%d sums were ready, want %d", ready, c.ready)
				}
				wantSameImages(t, c.body, piece)
			})
		}
	}
}

// wantSameImages wants a body to be scanned alike, looked at before or not.
func wantSameImages(t *testing.T, body string, piece int) {
	t.Helper()
	api, call, _ := All().Match(http.MethodPost, &url.URL{Path: "/v1/messages"}, nil)
	plain, err := Scan(api, call, http.Header{}, []byte(body), nil)
	if err != nil {
		return
	}
	looked, _ := lookedAt(t, body, piece)
	if len(looked.Images) != len(plain.Images) {
		t.Fatalf("%d images, want %d", len(looked.Images), len(plain.Images))
	}
	for i, im := range plain.Images {
		if got := looked.Images[i]; got.Sum != im.Sum || got.Size != im.Size || got.Carrier != im.Carrier {
			t.Errorf("image %d: %s %d, want %s %d", i, got.Sum.Short(), got.Size, im.Sum.Short(), im.Size)
		}
	}
}

// FuzzHasher puts something anywhere into a body with two images.
func FuzzHasher(f *testing.F) {
	body := bodyWith(`say \"this\"`, longBase64(100<<10, 1), longBase64(17<<10, 2))
	for _, put := range []string{`"`, `\"`, `\\`, "=", "*", `\u0041`, " ", `","data":"`} {
		f.Add(put, uint(len(body)/2), uint(70000))
		f.Add(put, uint(len(body)-5000), uint(5000))
	}
	f.Fuzz(func(t *testing.T, put string, at, piece uint) {
		at %= uint(len(body))
		wantSameImages(t, body[:at]+put+body[at:], int(piece%(1<<20))+1000)
	})
}
