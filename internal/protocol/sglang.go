package protocol

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"imagebreaker/imagehash"
	"imagebreaker/internal/jsontree"
	"imagebreaker/sse"
)

// sglang is SGLang's native API, https://docs.sglang.ai/basic_usage/native_api.html:
// one prompt, with its media in lists beside it. (Its compatible APIs are
// OpenAI's.)
type sglang struct{}

func (sglang) Name() string     { return "sglang" }
func (sglang) Provider() string { return "openai" }

func (sglang) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	return Call{Kind: Generate}, method == http.MethodPost && strings.HasSuffix(u.Path, "/generate")
}

func (sglang) Scan(c Call, _ http.Header, body jsontree.Node) *Request {
	params := body.Get("sampling_params")
	text := body.Get("text")
	r := &Request{
		Stream: streamIf(body.Get("stream")),
		// A batch is answered with a list.
		JSON: text.Kind() == '[' ||
			params.Get("json_schema").Kind() == '"' || params.Get("regex").Kind() == '"' || params.Get("ebnf").Kind() == '"',
	}
	w := walk{Request: r}
	w.message("user")
	w.text(text)
	for _, list := range []struct {
		name  string
		media Media
	}{{"image_data", Picture}, {"video_data", Video}, {"audio_data", Audio}} {
		w.sglangMedia(body.Get(list.name), list.media, position{})
	}
	return r
}

// sglangMedia reads a single medium, a list of them, or a batch's list of lists.
func (w *walk) sglangMedia(n jsontree.Node, media Media, at position) {
	if len(at.place) > maxDepth {
		return
	}
	for i, e := range n.Elements() {
		w.sglangMedia(e, media, at.item(i))
	}
	if n.Kind() == '{' {
		n = n.Get("url")
	}
	if len(at.place) == 0 {
		at = at.item(0)
	}
	if im := (Image{Media: media, part: n}); im.fill(n, sglangCarrier(n.Text())) {
		w.image(im, at)
	}
}

func sglangCarrier(text []byte) Carrier {
	switch {
	case bytes.HasPrefix(text, []byte("http://")), bytes.HasPrefix(text, []byte("https://")):
		return URL
	case sglangFile(text):
		return FileID
	}
	return Bytes
}

// sglangFile reports whether a text is the name of a file on the server: neither base64
// nor a data URL.
func sglangFile(text []byte) bool {
	if len(text) > 4096 {
		return false
	}
	_, err := imagehash.DecodeBase64(text)
	return err != nil && bytes.IndexByte(text, ',') < 0
}

func (sglang) Turn(r Reply) []byte {
	return fmt.Appendf(nil, `{"text":%s,"meta_info":{"id":%q,"finish_reason":{"type":"stop","matched":null},"prompt_tokens":0,"completion_tokens":0,"cached_tokens":0}}`,
		jsontree.Quote(r.Text), r.ID)
}

func (s sglang) TurnStream(r Reply) []byte {
	return sse.Append(sse.Append(nil, "", s.Turn(r)), "", []byte("[DONE]"))
}

func (sglang) Error(e Error) []byte {
	return fmt.Appendf(nil, `{"error":{"message":%s}}`, jsontree.Quote(e.Message))
}

// Placeholder returns nil: the prompt has a mark for each of the media in the lists, so
// that none can be removed.
func (sglang) Placeholder(*Image, string) []byte { return nil }

func (sglang) Ends(e sse.Event) bool { return string(e.Data) == "[DONE]" }
