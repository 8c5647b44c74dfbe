package protocol

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
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

// Scan of a count reads the conversation that is counted. One in the form of
// InvokeModel is base64, and nothing is found in it.
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
		Tools: notEmpty(body.Get("toolConfig", "tools")),
	}
	r.converse(body.Get("messages"))
	return r
}

// converse reads the messages of Converse.
func (r *Request) converse(messages jsontree.Node) {
	s := converseScan{Request: r, calls: map[string]jsontree.Node{}}
	for i, m := range messages.Elements() {
		role := m.Get("role").String()
		if s.said = said(role); s.said {
			r.role(role)
		}
		s.content(m.Get("content"), []int{i}, nil)
	}
}

// converseScan goes through the messages with what it has met so far.
type converseScan struct {
	*Request
	calls map[string]jsontree.Node // toolUseId to input
	said  bool                     // the message is part of the conversation
}

// content reads a list of blocks. near are the nodes that may name an image in it.
func (s *converseScan) content(list jsontree.Node, place []int, near []jsontree.Node) {
	if len(place) > maxDepth {
		return
	}
	var before jsontree.Node
	for i, b := range list.Elements() {
		by := near
		if before.Exists() {
			by = append(slices.Clone(near), before)
		}
		s.block(b, append(slices.Clone(place), i), by)
		before = b.Get("text") // it names the part that follows, not all of them
	}
}

// block reads a block, which is an object with one member: its name is the kind.
func (s *converseScan) block(b jsontree.Node, place []int, near []jsontree.Node) {
	for v := range b.Values() {
		switch kind := v.Key(); kind {
		case "text":
			s.sayText(v)
		case "image", "document", "video", "audio":
			s.media(b, v, Media(kind), place, near)
			return // if it has others, it is no block of the API
		case "guardContent":
			s.sayText(v.Get("text", "text"))
			s.media(b, v.Get("image"), Picture, place, near)
			return
		case "toolUse":
			s.calls[v.Get("toolUseId").String()] = v.Get("input")
			s.call(v.Get("name").String(), v.Get("input"))
		case "toolResult":
			s.content(v.Get("content"), place, append([]jsontree.Node{s.calls[v.Get("toolUseId").String()]}, near...))
		case "json":
			s.call("", v) // what a tool gave back
		case "searchResult", "citationsContent":
			s.content(v.Get("content"), place, near)
		}
	}
}

func (s *converseScan) sayText(n jsontree.Node) {
	if s.said {
		s.text(n)
	}
}

// media reads what block b holds.
func (s *converseScan) media(b, m jsontree.Node, media Media, place []int, near []jsontree.Node) {
	im := Image{Media: media, Label: converseLabel(media, m.Get("format").String()), Place: place, part: b, near: near, name: m.Get("name").String()}
	src := m.Get("source")
	switch data, uri := src.Get("bytes"), src.Get("s3Location", "uri"); {
	case data.Kind() == '"':
		im.fill(data, true)
	case uri.Kind() == '"':
		im.fillFile(uri)
		im.near = append([]jsontree.Node{uri}, near...)
	default: // a document may be text
		s.sayText(src.Get("text"))
		s.content(src.Get("content"), place, near)
		return
	}
	s.add(im)
}

// converseLabel is the media type of a format as the API names it.
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

// TurnStream has no contentBlockStart: a block of text begins with its first
// delta, and an SDK takes an empty start for a broken stream.
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

// Ends looks for the metadata, which come after messageStop.
func (bedrockConverse) Ends(e sse.Event) bool { return e.Name == "metadata" }
