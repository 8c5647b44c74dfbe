package protocol

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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

// Match reads …/models/MODEL:METHOD.
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

// onVertex names the provider of a path of Vertex AI.
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

// either follows a name in the API's two spellings, camel case first.
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
		Tools: notEmpty(body.Get("tools")),
	}
	s := geminiScan{Request: r, place: make([]int, 0, 4), near: make([]jsontree.Node, 0, 8)}
	s.parts(either(body, "systemInstruction", "system_instruction").Get("parts"), []int{outsideMessages}, nil)
	s.said = true
	contents := body.Get("contents")
	if contents.Kind() == '{' { // one content may stand for a list of one
		s.content(contents, 0)
	}
	for i, content := range contents.Elements() {
		s.content(content, i)
	}
	return r
}

// geminiToolMode is how the model may call functions.
func geminiToolMode(body jsontree.Node) jsontree.Node {
	config := either(body, "toolConfig", "tool_config")
	return either(config, "functionCallingConfig", "function_calling_config").Get("mode")
}

// geminiScan goes through the contents with what it has met so far.
type geminiScan struct {
	*Request
	args jsontree.Node // of the last function that was called
	said bool          // the part belongs to the conversation
	// The space for each part's place, and for what is near it. An image has copies.
	place []int
	near  []jsontree.Node
}

func (s *geminiScan) content(c jsontree.Node, i int) {
	role := c.Get("role").String()
	if role == "" {
		role = "user"
	}
	s.role(role)
	s.parts(c.Get("parts"), append(s.place, i), s.near)
}

func (s *geminiScan) parts(parts jsontree.Node, place []int, near []jsontree.Node) {
	if parts.Kind() == '{' { // one part may stand for a list of one
		s.part(parts, append(place, 0), near)
	}
	var before jsontree.Node
	for j, p := range parts.Elements() {
		s.part(p, append(place, j), append(near, before))
		before = p.Get("text")
	}
}

func (s *geminiScan) part(p jsontree.Node, place []int, near []jsontree.Node) {
	im := Image{Place: place, part: p, near: near}
	call, response := either(p, "functionCall", "function_call"), either(p, "functionResponse", "function_response")
	inline, file := either(p, "inlineData", "inline_data"), either(p, "fileData", "file_data")
	switch {
	case inline.Get("data").Kind() == '"':
		im.Label = strings.ToLower(either(inline, "mimeType", "mime_type").String())
		im.fill(inline.Get("data"), true)
	case either(file, "fileUri", "file_uri").Kind() == '"':
		im.Label = strings.ToLower(either(file, "mimeType", "mime_type").String())
		im.fillURI(either(file, "fileUri", "file_uri"))
	case call.Kind() == '{':
		s.args = call.Get("args")
		s.call(call.Get("name").String(), s.args)
		return
	case response.Kind() == '{':
		s.call(response.Get("name").String(), response.Get("response"))
		s.parts(response.Get("parts"), place, []jsontree.Node{s.args})
		return
	default:
		if s.said {
			s.text(p.Get("text"))
		}
		return
	}
	if len(near) > 0 && !near[len(near)-1].Exists() {
		// Gemini CLI puts the picture that a tool read beside the tool's response.
		im.near = append(im.near, s.args)
	}
	im.Media = mediaOf(im.Label, Picture)
	im.Place, im.near = slices.Clone(im.Place), slices.Clone(im.near)
	s.add(im)
}

// fillURI takes a remote URL, or the name of an uploaded file, for the content.
func (im *Image) fillURI(uri jsontree.Node) {
	im.fillFile(uri)
	if text := uri.String(); strings.HasPrefix(text, "http") && !strings.Contains(text, "/files/") {
		im.Carrier = URL
	}
}

func (gemini) Turn(r Reply) []byte {
	return fmt.Appendf(nil, `{"candidates":[{"content":{"parts":[{"text":%s}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":0,"candidatesTokenCount":0,"totalTokenCount":0},"modelVersion":%s,"responseId":%s}`,
		jsontree.Quote(r.Text), jsontree.Quote(r.Model), jsontree.Quote(r.ID))
}

// TurnStream is one chunk: a stream of this API has no other events.
func (g gemini) TurnStream(r Reply) []byte {
	if r.Stream == jsonArray {
		return fmt.Appendf(nil, "[%s]", g.Turn(r))
	}
	return sse.Append(nil, "", g.Turn(r))
}

func (gemini) Error(e Error) []byte {
	status := map[int]string{
		http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnprocessableEntity: "INVALID_ARGUMENT",
		http.StatusGatewayTimeout: "DEADLINE_EXCEEDED",
	}[e.Status]
	if status == "" {
		status = "UNAVAILABLE"
	}
	return fmt.Appendf(nil, `{"error":{"code":%d,"message":%s,"status":%q}}`, e.Status, jsontree.Quote(e.Message), status)
}

// alsoTakes: https://ai.google.dev/gemini-api/docs/image-understanding. A PDF is
// as good as a picture there.
func (gemini) alsoTakes() []imagehash.Format {
	return []imagehash.Format{imagehash.HEIC, imagehash.PDF}
}

// Placeholder keeps a thought signature: the API wants back what it signed.
func (gemini) Placeholder(im *Image, text string) []byte {
	signed := ""
	if s := im.part.Get("thoughtSignature"); s.Kind() == '"' {
		signed = `,"thoughtSignature":` + string(s.Raw())
	}
	return fmt.Appendf(nil, `{"text":%s%s}`, jsontree.Quote(text), signed)
}

// Ends looks for a candidate's finishReason.
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
