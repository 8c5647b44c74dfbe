package protocol

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"imagebreaker/internal/jsontree"
	"imagebreaker/sse"
)

// ollama is what Ollama's two native calls have in common,
// https://docs.ollama.com/api. (Its compatible APIs are OpenAI's and
// Anthropic's.) Images are bare base64 in a list beside the text.
type ollama struct{}

func (ollama) Provider() string { return "ollama" }

// ollamaStream: a stream is what comes unless the body says otherwise.
func ollamaStream(body jsontree.Node) Stream {
	if body.Get("stream").Kind() == 'f' {
		return ""
	}
	return jsonLines
}

// ollamaRequest is what both calls tell in the same members.
func ollamaRequest(body jsontree.Node) *Request {
	format := body.Get("format")
	return &Request{
		Model:  body.Get("model").String(),
		Stream: ollamaStream(body),
		JSON:   format.Kind() == '{' || len(format.Text()) > 0,
		Tools:  notEmpty(body.Get("tools")),
	}
}

// images reads the list beside a text. home is the object that both are in,
// textName the text's member.
func (r *Request) images(home jsontree.Node, textName string, place []int, near ...jsontree.Node) {
	list := home.Get("images")
	if several(list) { // which of them a text names is not said
		near = nil
	} else {
		near = append([]jsontree.Node{home.Get(textName)}, near...)
	}
	for i, data := range list.Elements() {
		if data.Kind() != '"' {
			continue
		}
		im := Image{Media: Picture, Place: append(slices.Clone(place), i), part: data, list: list, home: home, near: near}
		im.fill(data, true)
		r.add(im)
	}
}

func several(list jsontree.Node) bool {
	n := 0
	for range list.Elements() {
		n++
	}
	return n > 1
}

// Placeholder: there is no place for a text in a list of images.
func (ollama) Placeholder(*Image, string) []byte { return nil }

// placeholdersBeside takes the images out of their lists and puts the placeholders at the end
// of the texts beside them.
func placeholdersBeside(textName string, gone []*Image, text func(*Image) string) []Edit {
	var edits []Edit
	for rest := gone; len(rest) > 0; {
		home := rest[0].home
		n := 1
		for n < len(rest) && rest[n].home == home {
			n++
		}
		here := rest[:n]
		rest = rest[n:]
		going := map[jsontree.Node]bool{}
		for _, im := range here {
			going[im.part] = true
		}
		edits = append(edits, without(here[0].list, func(e jsontree.Node) bool { return going[e] })...)
		edits = append(edits, placeholderAfter(home, textName, here, text))
	}
	return edits
}

// placeholderAfter adds the placeholders to a text member, or the member to its object.
func placeholderAfter(home jsontree.Node, name string, images []*Image, text func(*Image) string) Edit {
	var texts []string
	for _, im := range images {
		texts = append(texts, text(im))
	}
	quoted := jsontree.Quote(strings.Join(texts, "\n"))
	member := home.Get(name)
	start, end := member.Span()
	switch {
	case !member.Exists():
		start, _ = home.Span()
		return Edit{start + 1, start + 1, fmt.Appendf(nil, `%q:%s,`, name, quoted)}
	case len(member.Text()) == 0: // null, for one
		return Edit{start, end, []byte(quoted)}
	}
	return Edit{end - 1, end - 1, []byte(`\n` + quoted[1:len(quoted)-1])}
}

func (ollama) Error(e Error) []byte {
	return fmt.Appendf(nil, `{"error":%s}`, jsontree.Quote(e.Message))
}

// Ends looks for the line that says done.
func (ollama) Ends(e sse.Event) bool {
	if !bytes.Contains(e.Data, []byte(`"done"`)) {
		return false
	}
	t, err := jsontree.Parse(e.Data)
	return err == nil && t.Get("done").True()
}

// answer is one object of an answer; said holds the text, done tells whether
// it is the last.
func (ollama) answer(r Reply, said string, done bool) []byte {
	end := `false`
	if done {
		end = `true,"done_reason":"stop","total_duration":0,"load_duration":0,"prompt_eval_count":0,"prompt_eval_duration":0,"eval_count":0,"eval_duration":0`
	}
	return fmt.Appendf(nil, `{"model":%s,"created_at":%q,%s,"done":%s}`, jsontree.Quote(r.Model), r.Time.UTC().Format(time.RFC3339Nano), said, end)
}

// stream is two lines: the text, and the end.
func (o ollama) stream(r Reply, said func(text string) string) []byte {
	return slices.Concat(o.answer(r, said(r.Text), false), []byte("\n"), o.answer(r, said(""), true), []byte("\n"))
}

// ollamaChat is /api/chat.
type ollamaChat struct{ ollama }

func (ollamaChat) Name() string { return "ollama_chat" }

func (ollamaChat) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	return Call{Kind: Generate}, method == http.MethodPost && strings.HasSuffix(u.Path, "/api/chat")
}

func (ollamaChat) Scan(c Call, _ http.Header, body jsontree.Node) *Request {
	r := ollamaRequest(body)
	var called jsontree.Node // the arguments of the newest tool call
	for i, m := range body.Get("messages").Elements() {
		role := m.Get("role").String()
		if said(role) {
			r.role(role)
			r.text(m.Get("content"))
		}
		r.images(m, "content", []int{i}, called)
		for _, call := range m.Get("tool_calls").Elements() {
			called = call.Get("function", "arguments")
			r.call(call.Get("function", "name").String(), called)
		}
	}
	return r
}

func chatMessage(text string) string {
	return `"message":{"role":"assistant","content":` + jsontree.Quote(text) + `}`
}

func (o ollamaChat) Turn(r Reply) []byte       { return o.answer(r, chatMessage(r.Text), true) }
func (o ollamaChat) TurnStream(r Reply) []byte { return o.stream(r, chatMessage) }

func (ollamaChat) substitute(gone []*Image, text func(*Image) string) []Edit {
	return placeholdersBeside("content", gone, text)
}

// ollamaGenerate is /api/generate: one prompt, no conversation.
type ollamaGenerate struct{ ollama }

func (ollamaGenerate) Name() string { return "ollama_generate" }

func (ollamaGenerate) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	return Call{Kind: Generate}, method == http.MethodPost && strings.HasSuffix(u.Path, "/api/generate")
}

func (ollamaGenerate) Scan(c Call, _ http.Header, body jsontree.Node) *Request {
	r := ollamaRequest(body)
	r.role("user")
	r.text(body.Get("prompt"))
	r.images(body, "prompt", nil)
	return r
}

func generated(text string) string { return `"response":` + jsontree.Quote(text) }

func (o ollamaGenerate) Turn(r Reply) []byte       { return o.answer(r, generated(r.Text), true) }
func (o ollamaGenerate) TurnStream(r Reply) []byte { return o.stream(r, generated) }

func (ollamaGenerate) substitute(gone []*Image, text func(*Image) string) []Edit {
	return placeholdersBeside("prompt", gone, text)
}
