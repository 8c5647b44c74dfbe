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

// responses is OpenAI's Responses API,
// https://platform.openai.com/docs/api-reference/responses.
type responses struct{}

func (responses) Name() string     { return "openai_responses" }
func (responses) Provider() string { return "openai" }

func (responses) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	switch {
	case method != http.MethodPost:
	case strings.HasSuffix(u.Path, "/responses"):
		return Call{Kind: Generate, Model: deployment(u.Path)}, true
	case strings.HasSuffix(u.Path, "/responses/input_tokens"):
		return Call{Kind: Count}, true
	case strings.HasSuffix(u.Path, "/responses/compact"):
		return Call{Kind: Compact}, true
	}
	return Call{}, false
}

func (responses) Scan(c Call, h http.Header, body jsontree.Node) *Request {
	r := &Request{
		Model:  cmp.Or(body.Get("model").String(), c.Model),
		Stream: streamIf(body.Get("stream")),
		JSON:   demandsJSON(body.Get("text", "format")) || forcesTool(body.Get("tool_choice")),
		Tools:  body.Get("tools").Len() > 0,
		// The upstream would not know the id of a synthesized answer.
		Chained: body.Get("previous_response_id").Kind() == '"' || body.Get("conversation").Kind() == '"' || body.Get("conversation").Kind() == '{',
	}
	w := walk{Request: r, part: openaiPart}
	start := w.start("")
	i := 0
	for v := range body.Get("prompt", "variables").Values() { // of a stored prompt
		openaiPart(&w, v, start.item(outsideMessages).item(i))
		i++
	}
	input := body.Get("input")
	if input.Kind() == '"' {
		w.message("user")
		w.text(input)
	}
	var last jsontree.Node
	for i, item := range input.Elements() {
		responsesItem(&w, item, start.item(i))
		last = item
	}
	if codexCompacts(h, last) {
		r.Kind = Compact
	}
	return r
}

// responsesItem reads an input item. Items that are no message, call or result (a
// model's reasoning, references) are no part of the conversation.
func responsesItem(w *walk, item jsontree.Node, at position) {
	switch kind := item.Get("type").String(); {
	case kind == "message", kind == "" && item.Get("role").Exists():
		w.message(item.Get("role").String())
		w.content(item.Get("content"), at)
	case strings.HasSuffix(kind, "_call_output"):
		w.system = false
		w.content(item.Get("output"), at.after(w.arguments[string(item.Get("call_id").Text())]))
	case strings.HasSuffix(kind, "_call"):
		args := item.Get("arguments")
		if !args.Exists() {
			args = item.Get("input") // custom tools
		}
		w.call(item.Get("call_id").String(), item.Get("name").String(), args)
	}
}

// codexCompacts reports whether a call is a compaction of Codex's: its turn metadata
// say so or, with the built-in provider, the last item is a trigger (measured with
// Codex 0.171.0).
func codexCompacts(h http.Header, last jsontree.Node) bool {
	if last.Get("type").String() == "compaction_trigger" {
		return true
	}
	meta, err := jsontree.Parse([]byte(h.Get("X-Codex-Turn-Metadata")))
	return err == nil && meta.Get("request_kind").String() == "compaction"
}

const responsesNoUsage = `{"input_tokens":0,"input_tokens_details":{"cached_tokens":0},"output_tokens":0,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":0}`

// response returns the response object with a status.
func (r Reply) response(status, output, usage string) string {
	return fmt.Sprintf(`{"id":"resp_%s","object":"response","created_at":%d,"status":%q,"error":null,"incomplete_details":null,"instructions":null,"metadata":{},"model":%s,"output":%s,"parallel_tool_calls":true,"temperature":null,"tool_choice":"auto","tools":[],"top_p":null,"usage":%s}`,
		r.ID, r.Time.Unix(), status, jsontree.Quote(r.Model), output, usage)
}

// item returns the only item of the output.
func (r Reply) item(status, content string) string {
	return fmt.Sprintf(`{"id":"msg_%s","type":"message","status":%q,"role":"assistant","content":%s}`, r.ID, status, content)
}

func textPart(text string) string {
	return `{"type":"output_text","text":` + jsontree.Quote(text) + `,"annotations":[],"logprobs":[]}`
}

func (responses) Turn(r Reply) []byte {
	return []byte(r.response("completed", "["+r.item("completed", "["+textPart(r.Text)+"]")+"]", responsesNoUsage))
}

// TurnStream contains every event of a real stream: opencode and the SDKs need item,
// part and done events to show any text (measured).
func (responses) TurnStream(r Reply) []byte {
	var out []byte
	n := 0
	event := func(name, rest string) {
		out = sse.Append(out, name, fmt.Appendf(nil, `{"type":%q,"sequence_number":%d,%s}`, name, n, rest))
		n++
	}
	inItem := fmt.Sprintf(`"item_id":"msg_%s","output_index":0,"content_index":0,`, r.ID)
	done := r.item("completed", "["+textPart(r.Text)+"]")
	event("response.created", `"response":`+r.response("in_progress", "[]", "null"))
	event("response.in_progress", `"response":`+r.response("in_progress", "[]", "null"))
	event("response.output_item.added", `"output_index":0,"item":`+r.item("in_progress", "[]"))
	event("response.content_part.added", inItem+`"part":`+textPart(""))
	event("response.output_text.delta", inItem+`"delta":`+jsontree.Quote(r.Text)+`,"logprobs":[]`)
	event("response.output_text.done", inItem+`"text":`+jsontree.Quote(r.Text)+`,"logprobs":[]`)
	event("response.content_part.done", inItem+`"part":`+textPart(r.Text))
	event("response.output_item.done", `"output_index":0,"item":`+done)
	event("response.completed", `"response":`+r.response("completed", "["+done+"]", responsesNoUsage))
	return out
}

func (responses) Error(e Error) []byte { return openaiError(e) }

// Placeholder returns nil for a computer_call_output, which must be a screenshot.
func (responses) Placeholder(im *Image, text string) []byte {
	if im.part.Get("type").String() == "computer_screenshot" {
		return nil
	}
	return typedPlaceholder(im, "input_text", text)
}

func (responses) Ends(e sse.Event) bool {
	return e.Name == "response.completed" || e.Name == "response.incomplete"
}
