package protocol

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"

	"imagebreaker/imagehash"
	"imagebreaker/internal/jsontree"
	"imagebreaker/internal/stream"
	"imagebreaker/sse"
)

// bedrockInvoke is Bedrock's InvokeModel, whose bodies are the model's own,
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html:
// Anthropic's Messages, which Claude Code and Anthropic's SDKs use. Of the bodies of
// other vendors only those in the form of Converse's (Amazon Nova's) are read. A request
// with a known-bad image in one of these is substituted or gets an error, never a turn.
type bedrockInvoke struct{ bedrock }

func (bedrockInvoke) Name() string { return "bedrock_invoke" }

func (bedrockInvoke) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	model, operation, ok := bedrockCall(method, u)
	c := Call{Model: model}
	switch operation {
	case "invoke":
	case "invoke-with-response-stream":
		c.Stream = amazonStream
	default:
		return Call{}, false
	}
	return c, ok
}

// Scan recognizes Anthropic's bodies by the version, which Bedrock requires.
func (bedrockInvoke) Scan(c Call, h http.Header, body jsontree.Node) *Request {
	r := &Request{JSON: true, Tools: body.Get("toolConfig", "tools").Len() > 0}
	if body.Get("anthropic_version").Exists() {
		r = anthropic{}.Scan(c, h, body)
	} else {
		scanConverse(r, body.Get("messages"))
	}
	r.Model, r.Stream = c.Model, c.Stream
	return r
}

func (bedrockInvoke) Turn(r Reply) []byte { return anthropic{}.Turn(r) }

// TurnStream wraps each event of Anthropic's in a chunk.
func (bedrockInvoke) TurnStream(r Reply) []byte {
	var out []byte
	events := anthropic{}.TurnStream(r)
	s := sse.Scanner{Max: len(events)}
	s.Feed(events, func(e sse.Event) {
		if e.Name == "message_stop" {
			e.Data = []byte(`{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":0,"outputTokenCount":0,"invocationLatency":0,"firstByteLatency":0}}`)
		}
		// p is padding, which hides the lengths of what a model writes.
		out = stream.AppendAmazon(out, "chunk", fmt.Appendf(nil, `{"bytes":%q,"p":"abcd"}`, base64.StdEncoding.EncodeToString(e.Data)))
	})
	return out
}

// Placeholder has a type if the part that it replaces has one.
func (bedrockInvoke) Placeholder(im *Image, text string) []byte {
	if im.part.Get("type").Exists() {
		return typedPlaceholder(im, "text", text)
	}
	return conversePlaceholder(text)
}

// Ends looks into a chunk for Anthropic's last event.
func (bedrockInvoke) Ends(e sse.Event) bool {
	if e.Name != "chunk" {
		return false
	}
	chunk, err := jsontree.Parse(e.Data)
	if err != nil {
		return false
	}
	inner, err := imagehash.DecodeBase64(chunk.Get("bytes").Text())
	if err != nil || !bytes.Contains(inner, []byte("message_stop")) {
		return false
	}
	event, err := jsontree.Parse(inner)
	return err == nil && event.Get("type").String() == "message_stop"
}
