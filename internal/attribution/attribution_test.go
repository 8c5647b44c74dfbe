package attribution

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

// part is a media part of a request, by its letter.
type part struct {
	kind, label string // kind: image, document
	data        []byte
	url, file   string
}

// pngOf is a picture of w times h pixels, another one for each n.
func pngOf(w, h int, n byte) []byte {
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	im.Pix[0], im.Pix[3] = n, 255
	var b bytes.Buffer
	png.Encode(&b, im)
	return b.Bytes()
}

// parts are what the cases speak of.
var parts = map[string]part{
	"a": {kind: "image", label: "image/png", data: pngOf(4, 4, 1)},
	"b": {kind: "image", label: "image/png", data: pngOf(4, 4, 2)},
	"w": {kind: "image", label: "image/png", data: pngOf(300, 20, 3)}, // wide
	"l": {kind: "image", label: "image/jpeg", data: pngOf(4, 4, 4)},   // labelled wrongly
	"h": {kind: "image", label: "image/png", data: []byte("<!DOCTYPE html><html><body>404</body></html>")},
	"e": {kind: "image", label: "image/png", data: []byte{}},
	"v": {kind: "image", label: "image/avif", data: []byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1miaf")},
	"u": {kind: "image", url: "https://media.example.test/u.png"},
	"r": {kind: "image", url: "https://media.example.test/r.png"},
	"f": {kind: "image", file: "file_1"},
	"p": {kind: "document", label: "application/pdf", data: []byte("%PDF-1.7\ntrailer\n%%EOF\n")},
	"o": {kind: "document", label: "application/vnd.ms-excel", data: []byte("\xd0\xcf\x11\xe0 an office file")},
}

func (p part) block() any {
	source := map[string]any{"type": "base64", "media_type": p.label, "data": base64.StdEncoding.EncodeToString(p.data)}
	switch {
	case p.url != "":
		source = map[string]any{"type": "url", "url": p.url}
	case p.file != "":
		source = map[string]any{"type": "file", "file_id": p.file}
	}
	return map[string]any{"type": p.kind, "source": source}
}

// request is a request of one message with the parts of these letters.
func request(t *testing.T, letters string) (protocol.API, []*protocol.Image) {
	t.Helper()
	var content []any
	for _, letter := range strings.Split(letters, "") {
		content = append(content, parts[letter].block())
	}
	body, err := json.Marshal(map[string]any{"model": "m", "messages": []any{map[string]any{"role": "user", "content": content}}})
	if err != nil {
		t.Fatal(err)
	}
	api := protocol.All().Of("anthropic")
	r, err := protocol.Scan(api, protocol.Call{}, http.Header{}, body, nil)
	if err != nil {
		t.Fatal(err)
	}
	return api, r.Parts()
}

// lettersOf are the letters of images of a request.
func lettersOf(images, all []*protocol.Image, letters string) string {
	out := ""
	for _, im := range images {
		out += string(letters[slices.Index(all, im)])
	}
	return out
}

// Each line is a failure of a request with some parts, of which some have gone well
// before, and what it is put down to.
func TestFind(t *testing.T) {
	t.Parallel()
	at := func(i int) failure.Pointer { return failure.Pointer{Path: []int{0, i}} }
	sizeOf := func(letter string) failure.Limits { return failure.Limits{Said: []int{len(parts[letter].data)}} }
	for _, c := range []struct {
		name    string
		parts   string
		good    string
		reason  record.Reason
		pointer failure.Pointer
		limits  failure.Limits
		want    string
		whole   bool
		certain bool
		primary string
	}{
		{name: "the only one", parts: "a", reason: record.DecodeFailed, want: "a", certain: true},
		{name: "the only one, although it went well", parts: "a", good: "a", reason: record.DecodeFailed, want: "a", certain: true},
		{name: "the same twice is one", parts: "aa", reason: record.DecodeFailed, want: "aa", certain: true},
		{name: "named by its path", parts: "abh", reason: record.DecodeFailed, pointer: at(1), want: "b", certain: true},
		{name: "named, although it went well", parts: "ab", good: "b", reason: record.DecodeFailed, pointer: at(1), want: "b", certain: true},
		{name: "a path to nothing", parts: "ab", reason: record.DecodeFailed, pointer: at(7), want: "ab"},
		{name: "named by its message, which has one", parts: "a", reason: record.DecodeFailed, pointer: failure.Pointer{Path: []int{0}}, want: "a", certain: true},
		{name: "named by its message, which has two", parts: "ab", reason: record.DecodeFailed, pointer: failure.Pointer{Path: []int{0}}, want: "ab"},
		{name: "named by its number", parts: "ab", reason: record.DecodeFailed, pointer: failure.Pointer{Kind: "image", Index: 1}, want: "b", certain: true},
		{name: "named by its address", parts: "aur", reason: record.Fetch4xx, pointer: failure.Pointer{URL: "https://media.example.test/r.png"}, want: "r", certain: true},
		{name: "shown broken: a page", parts: "ahb", reason: record.DecodeFailed, want: "h", certain: true},
		{name: "shown broken: empty", parts: "aeb", reason: record.EmptyImage, want: "e", certain: true},
		{name: "shown broken: two of them", parts: "ahe", reason: record.DecodeFailed, want: "he", certain: true},
		{name: "shown broken, although it went well", parts: "ah", good: "h", reason: record.DecodeFailed, want: "a", certain: true},
		{name: "the label is wrong", parts: "al", reason: record.MediaTypeMismatch, want: "l", certain: true},
		{name: "a format that the API does not take", parts: "av", reason: record.UnsupportedFormat, want: "v", certain: true},
		{name: "a limit is nothing that bytes show", parts: "al", reason: record.TooLarge, want: "al"},
		{name: "a model without eyes is nothing that bytes show", parts: "ah", reason: record.UnsupportedByModel, want: "ah"},
		{name: "the size that the error names", parts: "abw", reason: record.TooLarge, limits: sizeOf("w"), want: "w", certain: true},
		{name: "more pixels than the error allows", parts: "abw", reason: record.Dimensions, limits: failure.Limits{Side: 200}, want: "w", certain: true},
		{name: "no image has more pixels than that", parts: "abw", reason: record.Dimensions, limits: failure.Limits{Side: 8000}, want: "abw"},
		{name: "all but one went well", parts: "abw", good: "aw", reason: record.DecodeFailed, want: "b", certain: true},
		{name: "two are new", parts: "abw", good: "a", reason: record.DecodeFailed, want: "bw"},
		{name: "all went well", parts: "ab", good: "ab", reason: record.DecodeFailed, want: "ab"},
		{name: "an address that cannot be fetched", parts: "aup", reason: record.FetchFailedUnspecified, want: "u", certain: true},
		{name: "an address that is none", parts: "au", reason: record.InvalidURL, want: "u", certain: true},
		{name: "a fetch failed, but nothing is remote", parts: "ab", reason: record.FetchTimeout, want: "ab"},
		{name: "a user's own reason of a fetch", parts: "au", reason: "fetch_by_our_gateway", want: "u", certain: true},
		{name: "a file that is gone", parts: "afu", reason: record.FileNotFound, want: "f", certain: true},
		{name: "a PDF", parts: "apb", reason: record.PDFInvalid, want: "p", certain: true},
		{name: "too many pages", parts: "apb", reason: record.TooManyPages, want: "p", certain: true},
		{name: "an office file is no broken document", parts: "oh", reason: record.DecodeFailed, want: "h", certain: true},
		{name: "the whole set", parts: "abw", good: "a", reason: record.TooManyMedia, want: "abw", whole: true},
		{name: "the whole set, one of it named", parts: "abw", reason: record.DimensionsManyImage, pointer: at(2), want: "abw", whole: true, certain: true, primary: "w"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			api, images := request(t, c.parts)
			got := Find(Evidence{
				Judgement: failure.Judgement{Verdict: record.Permanent, Reason: c.reason, Pointer: c.pointer, Limits: c.limits}, Images: images, API: api,
				Unverified: func(items [][32]byte) [][32]byte {
					return slices.DeleteFunc(slices.Clone(items), func(it [32]byte) bool {
						i := slices.IndexFunc(images, func(im *protocol.Image) bool { return im.Sum == it })
						return strings.Contains(c.good, string(c.parts[i]))
					})
				},
			})
			if c.primary == "" {
				c.primary = c.want[:1]
			}
			have := fmt.Sprintf("%s whole %v certain %v, by %s", lettersOf(got.Images, images, c.parts), got.Whole, got.Certain, lettersOf([]*protocol.Image{got.Primary()}, images, c.parts))
			if want := fmt.Sprintf("%s whole %v certain %v, by %s", c.want, c.whole, c.certain, c.primary); have != want {
				t.Errorf("%s, want %s", have, want)
			}
			if n := len(slices.Compact(strings.Split(c.want, ""))); len(got.Items()) != n {
				t.Errorf("%d items, want %d", len(got.Items()), n)
			}
		})
	}
}

func TestUndecodable(t *testing.T) {
	t.Parallel()
	for letter, want := range map[string]record.Reason{
		"a": "", "l": "", "w": "", "u": "", "f": "", "p": "", "o": "",
		"h": record.DecodeFailed, "e": record.EmptyImage, "v": record.UnsupportedFormat,
	} {
		api, images := request(t, letter)
		if reason, what := Undecodable(api, images[0]); reason != want || want != "" && what == "" {
			t.Errorf("%s: %q, %q; want %q", letter, reason, what, want)
		}
	}
}

// Of very many images only the newest are inspected.
func TestNewest(t *testing.T) {
	t.Parallel()
	_, images := request(t, "ab")
	var many []*protocol.Image
	for range maxInspected {
		im := *images[0]
		im.Sum[0], im.Sum[1] = byte(len(many)), byte(len(many)>>8)
		many = append(many, &im)
	}
	many = append(many, images[1], images[1])
	if got := Newest(many); len(got) != maxInspected || got[len(got)-1] != images[1] || got[0] != many[1] {
		t.Errorf("%d images", len(got))
	}
}
