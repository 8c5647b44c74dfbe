package protocol

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"imagebreaker/internal/jsontree"
	"imagebreaker/internal/stream"
	"imagebreaker/sse"
)

// bedrockConverse is Bedrock's Converse API, the same for all models,
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.
type bedrockConverse struct{ bedrock }

func (bedrockConverse) Name() string { return "bedrock_converse" }

func (bedrockConverse) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	model, operation, ok := bedrockCall(method, u)
	c := Call{Model: model}
	switch operation {
	case "converse":
	case "converse-stream":
		c.Stream = amazonStream
	case "count-tokens":
		c.Kind = Count
	default:
		return Call{}, false
	}
	return c, ok
}

// Scan reads the conversation of a count, too, unless it is counted in the form of
// InvokeModel, which is base64.
func (bedrockConverse) Scan(c Call, _ http.Header, body jsontree.Node) *Request {
	if c.Kind == Count {
		body = body.Get("input", "converse")
	}
	r := &Request{
		Model:  c.Model,
		Stream: c.Stream,
		JSON: demandsJSON(body.Get("outputConfig", "textFormat")) ||
			demandsJSON(body.Get("additionalModelRequestFields", "output_config", "format")) || // Anthropic's
			body.Get("toolConfig", "toolChoice", "any").Exists() || body.Get("toolConfig", "toolChoice", "tool").Exists(),
		Tools: body.Get("toolConfig", "tools").Len() > 0,
	}
	scanConverse(r, body.Get("messages"))
	return r
}

// scanConverse reads the messages of Converse.
func scanConverse(r *Request, messages jsontree.Node) {
	w := walk{Request: r, part: converseBlock}
	start := w.start("")
	for i, m := range messages.Elements() {
		w.message(m.Get("role").String())
		w.content(m.Get("content"), start.item(i))
	}
}

// converseBlock reads a block: an object with one member, whose name is its kind.
func converseBlock(w *walk, b jsontree.Node, at position) {
	for v := range b.Values() {
		switch kind := v.Key(); kind {
		case "text":
			w.text(v)
		case "image", "document", "video", "audio":
			converseMedia(w, b, v, Media(kind), at)
			return // if it has others, it is no block of the API
		case "guardContent":
			w.text(v.Get("text", "text"))
			converseMedia(w, b, v.Get("image"), Picture, at)
			return
		case "toolUse":
			w.call(v.Get("toolUseId").String(), v.Get("name").String(), v.Get("input"))
		case "toolResult":
			w.content(v.Get("content"), at.result(w.arguments[v.Get("toolUseId").String()]))
		case "json": // what a tool returned
			w.call("", "", v)
		case "searchResult", "citationsContent":
			w.content(v.Get("content"), at)
		}
	}
}

// converseMedia reads the media m of block b.
func converseMedia(w *walk, b, m jsontree.Node, media Media, at position) {
	im := Image{Media: media, Label: converseLabel(media, m.Get("format").String()), part: b, name: m.Get("name").String()}
	src := m.Get("source")
	uri := src.Get("s3Location", "uri")
	switch {
	case im.fill(src.Get("bytes"), Bytes):
		w.image(im, at)
	case im.fill(uri, FileID):
		w.image(im, at.result(uri))
	default: // a document may be text
		w.text(src.Get("text"))
		w.content(src.Get("content"), at)
	}
}

// converseLabel returns the media type of a format as the API names it.
func converseLabel(media Media, format string) string {
	if media != Document {
		return mediaLabel(string(media), format)
	}
	return map[string]string{
		"pdf": "application/pdf", "csv": "text/csv", "html": "text/html", "txt": "text/plain", "md": "text/markdown",
		"doc": "application/msword", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"xls": "application/vnd.ms-excel", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	}[strings.ToLower(format)]
}

const converseNoUsage = `"usage":{"inputTokens":0,"outputTokens":0,"totalTokens":0},"metrics":{"latencyMs":0}`

func (bedrockConverse) Turn(r Reply) []byte {
	return fmt.Appendf(nil, `{"output":{"message":{"role":"assistant","content":[{"text":%s}]}},"stopReason":"end_turn",%s}`, jsontree.Quote(r.Text), converseNoUsage)
}

// TurnStream contains no contentBlockStart: a block of text begins with its first
// delta, and SDKs take an empty start for a broken stream.
func (bedrockConverse) TurnStream(r Reply) []byte {
	var out []byte
	event := func(name, data string) { out = stream.AppendAmazon(out, name, []byte(data)) }
	event("messageStart", `{"role":"assistant"}`)
	event("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":`+jsontree.Quote(r.Text)+`}}`)
	event("contentBlockStop", `{"contentBlockIndex":0}`)
	event("messageStop", `{"stopReason":"end_turn"}`)
	event("metadata", `{`+converseNoUsage+`}`)
	return out
}

func (bedrockConverse) Placeholder(_ *Image, text string) []byte { return conversePlaceholder(text) }

func conversePlaceholder(text string) []byte {
	return fmt.Appendf(nil, `{"text":%s}`, jsontree.Quote(text))
}

// Ends looks for the metadata, which follow messageStop.
func (bedrockConverse) Ends(e sse.Event) bool { return e.Name == "metadata" }
