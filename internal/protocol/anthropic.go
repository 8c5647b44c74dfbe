package protocol

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"imagebreaker/internal/jsontree"
	"imagebreaker/sse"
)

// anthropic is the Messages API,
// https://docs.anthropic.com/en/api/messages.
type anthropic struct{}

func (anthropic) Name() string     { return "anthropic" }
func (anthropic) Provider() string { return "anthropic" }

// Match accepts any prefix before /v1: gateways put the API below one. (A bare
// …/messages is not enough: OpenAI's threads end in it.)
func (anthropic) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	switch {
	case method != http.MethodPost:
	case strings.HasSuffix(u.Path, "/v1/messages"):
		return Call{Kind: Generate}, true
	case strings.HasSuffix(u.Path, "/v1/messages/count_tokens"):
		return Call{Kind: Count}, true
	default:
		return anthropicOnVertex(u)
	}
	return Call{}, false
}

// anthropicOnVertex matches Vertex AI's paths for Anthropic's models,
// …/publishers/anthropic/models/MODEL:METHOD,
// https://docs.anthropic.com/en/api/claude-on-vertex-ai.
func anthropicOnVertex(u *url.URL) (Call, bool) {
	_, rest, ok := cutLast(u.Path, "/publishers/anthropic/models/")
	model, verb, _ := strings.Cut(rest, ":")
	if !ok || verb != "rawPredict" && verb != "streamRawPredict" {
		return Call{}, false
	}
	if model == "count-tokens" { // the body names the model
		return Call{Kind: Count, Provider: "vertex"}, true
	}
	return Call{Kind: Generate, Model: model, Provider: "vertex"}, true
}

func (anthropic) Scan(c Call, h http.Header, body jsontree.Node) *Request {
	r := &Request{
		Model:      cmp.Or(body.Get("model").String(), c.Model),
		Stream:     streamIf(body.Get("stream")),
		JSON:       demandsJSON(body.Get("output_config", "format")) || demandsJSON(body.Get("output_format")) || forcesTool(body.Get("tool_choice", "type")),
		Tools:      body.Get("tools").Len() > 0,
		SelfRepair: h.Get(claudeCodeSession) != "",
	}
	w := walk{Request: r, part: anthropicBlock}
	start := w.start("messages")
	for i, m := range body.Get("messages").Elements() {
		w.message(m.Get("role").String())
		w.content(m.Get("content"), start.item(i).member("content"))
	}
	return r
}

// anthropicBlock reads a content block.
func anthropicBlock(w *walk, b jsontree.Node, at position) {
	switch kind := b.Get("type").Text(); string(kind) {
	case "text":
		w.text(b.Get("text"))
	case "image":
		anthropicMedia(w, b, Picture, at.member("image"))
	case "document":
		anthropicMedia(w, b, Document, at.member("document"))
	case "tool_use", "server_tool_use", "mcp_tool_use":
		// What a model passes to a tool is no media, whatever it looks like.
		w.call(b.Get("id").String(), b.Get("name").String(), b.Get("input"))
	default:
		// tool_result and the results of the server's own tools.
		if id := b.Get("tool_use_id"); id.Exists() {
			at = at.result(w.arguments[string(id.Text())])
		}
		w.content(b.Get("content"), at.member(resultKind(string(kind))).member("content"))
	}
}

// resultKind returns a result's type as it is in paths. Any other type is text of the
// client's, and may be of any length: it would be in the path of every image.
func resultKind(kind string) string {
	if strings.HasSuffix(kind, "_result") && len(kind) <= 64 {
		return kind
	}
	return "block"
}

func anthropicMedia(w *walk, b jsontree.Node, media Media, at position) {
	src := b.Get("source")
	im := Image{Media: media, Label: src.Get("media_type").String(), part: b, name: b.Get("title").String()}
	switch kind := src.Get("type").String(); {
	case kind == "text":
		w.text(src.Get("data"))
	case kind == "content":
		w.content(src.Get("content"), at.member("source.content"))
	case im.fill(src.Get("data"), Bytes):
		w.image(im, at.member("source.base64"))
	case im.fill(src.Get("url"), URL):
		w.image(im, at.member("source.url"))
	case im.fill(src.Get("file_id"), FileID):
		w.image(im, at.member("source.file_id"))
	}
}

func (anthropic) Turn(r Reply) []byte {
	return fmt.Appendf(nil, `{"id":"msg_%s","type":"message","role":"assistant","model":%s,"content":[{"type":"text","text":%s}],"stop_reason":"end_turn","stop_sequence":null,"usage":%s}`,
		r.ID, jsontree.Quote(r.Model), jsontree.Quote(r.Text), anthropicNoUsage)
}

const anthropicNoUsage = `{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}`

func (anthropic) TurnStream(r Reply) []byte {
	var out []byte
	event := func(name, format string, args ...any) {
		out = sse.Append(out, name, fmt.Appendf(nil, `{"type":%q,`+format+`}`, append([]any{name}, args...)...))
	}
	event("message_start", `"message":{"id":"msg_%s","type":"message","role":"assistant","model":%s,"content":[],"stop_reason":null,"stop_sequence":null,"usage":%s}`, r.ID, jsontree.Quote(r.Model), anthropicNoUsage)
	event("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`)
	out = sse.Append(out, "ping", []byte(`{"type":"ping"}`))
	event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":%s}`, jsontree.Quote(r.Text))
	event("content_block_stop", `"index":0`)
	event("message_delta", `"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":0}`)
	return sse.Append(out, "message_stop", []byte(`{"type":"message_stop"}`))
}

// blockPath is what Claude Code searches an error for, to remove just that block (as
// found in version 2.1.332).
var blockPath = regexp.MustCompile(`messages[.\[]\d+[\].]+content[.\[]\d+[\].]+(?:tool_result[.\[]content[.\[]\d+[\].]+)?(?:image|document|pdf)`)

// NamesBlock reports whether an error's message has the path of a block as a client
// understands it that removes blocks by itself.
func NamesBlock(message string) bool { return blockPath.MatchString(message) }

// Error ends with the message: Claude Code quotes to its model what follows a path,
// the rest of the object included.
func (anthropic) Error(e Error) []byte {
	class := e.class("invalid_request_error", "timeout_error", "api_error")
	return fmt.Appendf(nil, `{"type":"error","error":{"type":%q,"message":%s}}`, class, jsontree.Quote(e.Message))
}

func (anthropic) Placeholder(im *Image, text string) []byte {
	return typedPlaceholder(im, "text", text)
}

func (anthropic) Ends(e sse.Event) bool { return e.Name == "message_stop" }
