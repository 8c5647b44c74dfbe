package protocol

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"imagebreaker/internal/jsontree"
	"imagebreaker/sse"
)

// chat is OpenAI's Chat Completions API,
// https://platform.openai.com/docs/api-reference/chat, which all compatible servers
// implement.
type chat struct{}

func (chat) Name() string     { return "openai_chat" }
func (chat) Provider() string { return "openai" }

// Match accepts any prefix: the path of compatible servers varies.
func (chat) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	return Call{Kind: Generate, Model: deployment(u.Path)}, method == http.MethodPost && strings.HasSuffix(u.Path, "/chat/completions")
}

func (chat) Scan(c Call, h http.Header, body jsontree.Node) *Request {
	r := &Request{
		Model:       cmp.Or(body.Get("model").String(), c.Model),
		Stream:      streamIf(body.Get("stream")),
		StreamUsage: body.Get("stream_options", "include_usage").True(),
		JSON:        demandsJSON(body.Get("response_format")) || forcesTool(body.Get("tool_choice")),
		Tools:       body.Get("tools").Len() > 0 || body.Get("functions").Len() > 0,
	}
	w := walk{Request: r, part: openaiPart}
	start := w.start("")
	for i, m := range body.Get("messages").Elements() {
		chatMessage(&w, m, start.item(i))
	}
	return r
}

func chatMessage(w *walk, m jsontree.Node, at position) {
	role := m.Get("role").String()
	w.message(role)
	if id := m.Get("tool_call_id"); id.Exists() {
		w.last = w.arguments[string(id.Text())]
	}
	// The results of Chat's tools are texts: opencode sends the image that a tool
	// returned in a user message after it.
	w.content(m.Get("content"), at.after(w.last))
	if role != "tool" {
		w.last = jsontree.Node{}
	}
	for _, c := range m.Get("tool_calls").Elements() {
		w.call(c.Get("id").String(), c.Get("function", "name").String(), c.Get("function", "arguments"))
	}
	if f := m.Get("function_call"); f.Exists() {
		w.call("", f.Get("name").String(), f.Get("arguments"))
	}
}

const chatNoUsage = `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`

func (chat) Turn(r Reply) []byte {
	return fmt.Appendf(nil, `{"id":"chatcmpl-%s","object":"chat.completion","created":%d,"model":%s,"choices":[{"index":0,"message":{"role":"assistant","content":%s,"refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":%s}`,
		r.ID, r.Time.Unix(), jsontree.Quote(r.Model), jsontree.Quote(r.Text), chatNoUsage)
}

func (chat) TurnStream(r Reply) []byte {
	var out []byte
	chunk := func(rest string) {
		out = sse.Append(out, "", fmt.Appendf(nil, `{"id":"chatcmpl-%s","object":"chat.completion.chunk","created":%d,"model":%s,%s}`,
			r.ID, r.Time.Unix(), jsontree.Quote(r.Model), rest))
	}
	delta := func(delta, finish string) {
		chunk(`"choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":` + finish + `}]`)
	}
	delta(`{"role":"assistant","content":""}`, "null")
	delta(`{"content":`+jsontree.Quote(r.Text)+`}`, "null")
	delta(`{}`, `"stop"`)
	if r.Usage {
		chunk(`"choices":[],"usage":` + chatNoUsage)
	}
	return sse.Append(out, "", []byte("[DONE]"))
}

func (chat) Error(e Error) []byte { return openaiError(e) }

func (chat) Placeholder(im *Image, text string) []byte { return typedPlaceholder(im, "text", text) }

func (chat) Ends(e sse.Event) bool { return string(e.Data) == "[DONE]" }
