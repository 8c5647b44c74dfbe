package protocol

import (
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

// Match takes any prefix before /v1: gateways put the API below one. (A bare
// …/messages is not enough: OpenAI's threads end so.)
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

// anthropicOnVertex reads Vertex AI's paths for Anthropic's models,
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
		Model:      modelOr(body, c),
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

// blockPath is what Claude Code looks for in an error, to remove just that block
// (read off version 2.1.332).
var blockPath = regexp.MustCompile(`messages[.\[]\d+[\].]+content[.\[]\d+[\].]+(?:tool_result[.\[]content[.\[]\d+[\].]+)?(?:image|document|pdf)`)

// NamesBlock tells whether an error's message names a block in the way that a
// client which removes blocks by itself understands.
func NamesBlock(message string) bool { return blockPath.MatchString(message) }

// Error ends with the message: Claude Code quotes what follows a path to its
// model, and would quote the rest of the object with it.
func (anthropic) Error(e Error) []byte {
	kind := map[int]string{
		http.StatusBadRequest: "invalid_request_error", http.StatusUnprocessableEntity: "invalid_request_error",
		http.StatusGatewayTimeout: "timeout_error",
	}[e.Status]
	if kind == "" {
		kind = "api_error"
	}
	return fmt.Appendf(nil, `{"type":"error","error":{"type":%q,"message":%s}}`, kind, jsontree.Quote(e.Message))
}

func (anthropic) Placeholder(im *Image, text string) []byte {
	return typedPlaceholder(im, "text", text)
}

// typedPlaceholder is a text part of the APIs whose parts have a type. A cache mark on
// the image's part (Anthropic's, which gateways take in OpenAI's form too) moves
// to the placeholder.
func typedPlaceholder(im *Image, kind, text string) []byte {
	cache := ""
	if c := im.part.Get("cache_control"); c.Exists() {
		cache = `,"cache_control":` + string(c.Raw())
	}
	return fmt.Appendf(nil, `{"type":%q,"text":%s%s}`, kind, jsontree.Quote(text), cache)
}

func (anthropic) Ends(e sse.Event) bool { return e.Name == "message_stop" }

// demandsJSON tells whether a format member asks for JSON and not for text.
func demandsJSON(format jsontree.Node) bool {
	return format.Kind() == '{' && format.Get("type").String() != "text"
}

// forcesTool tells whether a tool choice leaves the model no text. Programs ask
// for JSON so, where a model knows no other way.
func forcesTool(choice jsontree.Node) bool {
	switch choice.String() {
	case "any", "ANY", "tool", "required":
		return true
	}
	kind := choice.Get("type").String()
	return kind == "function" || kind == "custom"
}
