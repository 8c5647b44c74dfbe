package protocol

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"imagebreaker/imagehash"
	"imagebreaker/internal/jsontree"
	"imagebreaker/sse"
)

// gemini is Google's generateContent API, of the Gemini API
// (https://ai.google.dev/api/generate-content) and of Vertex AI, which differ in
// the path before /models/.
type gemini struct{}

func (gemini) Name() string     { return "gemini" }
func (gemini) Provider() string { return "gemini" }

// Match accepts …/models/MODEL:METHOD.
func (gemini) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	_, rest, ok := cutLast(u.Path, "/models/")
	if !ok {
		_, rest, ok = cutLast(u.Path, "/tunedModels/")
	}
	model, verb, ok2 := strings.Cut(rest, ":")
	if method != http.MethodPost || !ok || !ok2 {
		return Call{}, false
	}
	c := Call{Model: model, Provider: onVertex(u)}
	switch verb {
	case "generateContent":
	case "streamGenerateContent":
		c.Stream = eventStream
		if u.Query().Get("alt") != "sse" {
			c.Stream = jsonArray
		}
	case "countTokens":
		c.Kind = Count
	default:
		return Call{}, false
	}
	return c, true
}

// onVertex returns the provider of a path of Vertex AI, and "" for any other.
func onVertex(u *url.URL) string {
	if strings.Contains(u.Path, "/publishers/") || strings.Contains(u.Path, "/locations/") {
		return "vertex"
	}
	return ""
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// either looks a member up by the API's two spellings, camel case first.
func either(n jsontree.Node, camel, snake string) jsontree.Node {
	if v := n.Get(camel); v.Exists() && v.Kind() != 'n' {
		return v
	}
	return n.Get(snake)
}

func (gemini) Scan(c Call, _ http.Header, body jsontree.Node) *Request {
	if inner := either(body, "generateContentRequest", "generate_content_request"); c.Kind == Count && inner.Exists() {
		body = inner
	}
	config := either(body, "generationConfig", "generation_config")
	format := either(config, "responseMimeType", "response_mime_type").String()
	r := &Request{
		Model:  c.Model,
		Stream: c.Stream,
		JSON: strings.Contains(format, "json") || either(config, "responseSchema", "response_schema").Exists() ||
			either(config, "responseJsonSchema", "response_json_schema").Exists() || forcesTool(geminiToolMode(body)),
		Tools: body.Get("tools").Len() > 0,
	}
	w := walk{Request: r, part: geminiPart}
	w.message("system")
	geminiParts(&w, either(body, "systemInstruction", "system_instruction").Get("parts"), position{place: []int{outsideMessages}})
	start := w.start("")
	contents := body.Get("contents")
	if contents.Kind() == '{' { // one content may stand for a list of one
		geminiContent(&w, contents, start.item(0))
	}
	for i, c := range contents.Elements() {
		geminiContent(&w, c, start.item(i))
	}
	return r
}

// geminiToolMode returns how the model may call functions.
func geminiToolMode(body jsontree.Node) jsontree.Node {
	config := either(body, "toolConfig", "tool_config")
	return either(config, "functionCallingConfig", "function_calling_config").Get("mode")
}

func geminiContent(w *walk, c jsontree.Node, at position) {
	w.message(cmp.Or(c.Get("role").String(), "user"))
	geminiParts(w, c.Get("parts"), at)
}

func geminiParts(w *walk, parts jsontree.Node, at position) {
	if parts.Kind() == '{' { // one part may stand for a list of one
		at = at.item(0)
	}
	w.content(parts, at)
}

func geminiPart(w *walk, p jsontree.Node, at position) {
	call, response := either(p, "functionCall", "function_call"), either(p, "functionResponse", "function_response")
	inline, file := either(p, "inlineData", "inline_data"), either(p, "fileData", "file_data")
	im := Image{part: p, Label: cmp.Or(either(inline, "mimeType", "mime_type").String(), either(file, "mimeType", "mime_type").String())}
	switch {
	case im.fill(inline.Get("data"), Bytes), im.fillURI(either(file, "fileUri", "file_uri")):
		if len(at.near) == 0 { // Gemini CLI puts the picture that a tool read beside the tool's response
			at = at.after(w.last)
		}
		im.Media = mediaOf(im.Label, Picture)
		w.image(im, at)
	case call.Kind() == '{':
		w.last = call.Get("args")
		w.call("", call.Get("name").String(), w.last)
	case response.Kind() == '{':
		w.call("", response.Get("name").String(), response.Get("response"))
		geminiParts(w, response.Get("parts"), position{place: at.place}.after(w.last))
	default:
		w.text(p.Get("text"))
	}
}

// fillURI fills in a remote URL, or the name of an uploaded file.
func (im *Image) fillURI(uri jsontree.Node) bool {
	if text := uri.Text(); bytes.HasPrefix(text, []byte("http")) && !bytes.Contains(text, []byte("/files/")) {
		return im.fill(uri, URL)
	}
	return im.fill(uri, FileID)
}

func (gemini) Turn(r Reply) []byte {
	return fmt.Appendf(nil, `{"candidates":[{"content":{"parts":[{"text":%s}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":0,"candidatesTokenCount":0,"totalTokenCount":0},"modelVersion":%s,"responseId":%s}`,
		jsontree.Quote(r.Text), jsontree.Quote(r.Model), jsontree.Quote(r.ID))
}

// TurnStream returns one chunk: a stream of this API has no other events.
func (g gemini) TurnStream(r Reply) []byte {
	if r.Stream == jsonArray {
		return fmt.Appendf(nil, "[%s]", g.Turn(r))
	}
	return sse.Append(nil, "", g.Turn(r))
}

func (gemini) Error(e Error) []byte {
	status := e.class("INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "UNAVAILABLE")
	return fmt.Appendf(nil, `{"error":{"code":%d,"message":%s,"status":%q}}`, e.Status, jsontree.Quote(e.Message), status)
}

// alsoTakes: https://ai.google.dev/gemini-api/docs/image-understanding. A PDF may be
// in a picture's place.
func (gemini) alsoTakes() []imagehash.Format {
	return []imagehash.Format{imagehash.HEIC, imagehash.PDF}
}

// Placeholder keeps a thought signature: the API demands it back.
func (gemini) Placeholder(im *Image, text string) []byte {
	signed := ""
	if s := im.part.Get("thoughtSignature"); s.Kind() == '"' {
		signed = `,"thoughtSignature":` + string(s.Raw())
	}
	return fmt.Appendf(nil, `{"text":%s%s}`, jsontree.Quote(text), signed)
}

// Ends looks for the finishReason of a candidate.
func (gemini) Ends(e sse.Event) bool {
	if !bytes.Contains(e.Data, []byte(`"finishReason"`)) {
		return false
	}
	t, err := jsontree.Parse(e.Data)
	if err != nil {
		return false
	}
	for _, c := range t.Get("candidates").Elements() {
		if c.Get("finishReason").Kind() == '"' {
			return true
		}
	}
	return false
}
