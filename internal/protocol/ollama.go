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

// ollama is the common part of Ollama's two native calls,
// https://docs.ollama.com/api. (Its compatible APIs are OpenAI's and
// Anthropic's.) Images are bare base64 in a list beside the text.
type ollama struct{}

func (ollama) Provider() string { return "ollama" }

// ollamaRequest reads the members that both calls have.
func ollamaRequest(body jsontree.Node) *Request {
	format := body.Get("format")
	r := &Request{
		Model:  body.Get("model").String(),
		Stream: jsonLines,
		JSON:   format.Kind() == '{' || len(format.Text()) > 0,
		Tools:  body.Get("tools").Len() > 0,
	}
	if body.Get("stream").Kind() == 'f' {
		r.Stream = ""
	}
	return r
}

// images reads the list beside a text. home is the object that holds both, textName
// the text's member in it.
func (w *walk) images(home jsontree.Node, textName string, at position) {
	list := home.Get("images")
	if list.Len() == 1 { // a text beside several does not tell which of them it names
		at = at.after(home.Get(textName)).after(w.last)
	}
	for i, data := range list.Elements() {
		im := Image{Media: Picture, part: data, list: list, home: home, textName: textName}
		if im.fill(data, Bytes) {
			w.image(im, at.item(i))
		}
	}
}

// Placeholder returns nil: a list of images takes no text. See substitute.
func (ollama) Placeholder(*Image, string) []byte { return nil }

// substitute takes the images out of their lists and adds the placeholders to the
// texts beside them.
func (ollama) substitute(images []*Image, placeholder func(*Image) string) []Edit {
	gone := map[jsontree.Node]bool{}
	for _, im := range images {
		gone[im.part] = true
	}
	var edits []Edit
	var texts []string // of the images so far that have the same home
	for i, im := range images {
		texts = append(texts, placeholder(im))
		if i+1 < len(images) && images[i+1].home == im.home {
			continue
		}
		edits = append(edits, without(im.list, func(e jsontree.Node) bool { return gone[e] })...)
		edits = append(edits, addText(im.home, im.textName, strings.Join(texts, "\n")))
		texts = nil
	}
	return edits
}

// addText adds to the text in a member of home, or adds the member.
func addText(home jsontree.Node, name, text string) Edit {
	quoted := jsontree.Quote(text)
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

// Ends looks for the object that is done.
func (ollama) Ends(e sse.Event) bool {
	if !bytes.Contains(e.Data, []byte(`"done"`)) {
		return false
	}
	t, err := jsontree.Parse(e.Data)
	return err == nil && t.Get("done").True()
}

// object returns one object of an answer, with the member that holds the text. The last
// one is done.
func (ollama) object(r Reply, member string, done bool) []byte {
	end := `false`
	if done {
		end = `true,"done_reason":"stop","total_duration":0,"load_duration":0,"prompt_eval_count":0,"prompt_eval_duration":0,"eval_count":0,"eval_duration":0`
	}
	return fmt.Appendf(nil, `{"model":%s,"created_at":%q,%s,"done":%s}`, jsontree.Quote(r.Model), r.Time.UTC().Format(time.RFC3339Nano), member, end)
}

// stream returns two lines: the text, and the end.
func (o ollama) stream(r Reply, member func(text string) string) []byte {
	return slices.Concat(o.object(r, member(r.Text), false), []byte("\n"), o.object(r, member(""), true), []byte("\n"))
}

// ollamaChat is /api/chat.
type ollamaChat struct{ ollama }

func (ollamaChat) Name() string { return "ollama_chat" }

func (ollamaChat) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	return Call{Kind: Generate}, method == http.MethodPost && strings.HasSuffix(u.Path, "/api/chat")
}

func (ollamaChat) Scan(c Call, _ http.Header, body jsontree.Node) *Request {
	w := walk{Request: ollamaRequest(body)}
	start := w.start("")
	for i, m := range body.Get("messages").Elements() {
		w.message(m.Get("role").String())
		w.text(m.Get("content"))
		w.images(m, "content", start.item(i))
		for _, call := range m.Get("tool_calls").Elements() {
			w.last = call.Get("function", "arguments")
			w.call("", call.Get("function", "name").String(), w.last)
		}
	}
	return w.Request
}

func ollamaMessage(text string) string {
	return `"message":{"role":"assistant","content":` + jsontree.Quote(text) + `}`
}

func (o ollamaChat) Turn(r Reply) []byte       { return o.object(r, ollamaMessage(r.Text), true) }
func (o ollamaChat) TurnStream(r Reply) []byte { return o.stream(r, ollamaMessage) }

// ollamaGenerate is /api/generate: one prompt, no conversation.
type ollamaGenerate struct{ ollama }

func (ollamaGenerate) Name() string { return "ollama_generate" }

func (ollamaGenerate) Match(method string, u *url.URL, _ http.Header) (Call, bool) {
	return Call{Kind: Generate}, method == http.MethodPost && strings.HasSuffix(u.Path, "/api/generate")
}

func (ollamaGenerate) Scan(c Call, _ http.Header, body jsontree.Node) *Request {
	w := walk{Request: ollamaRequest(body)}
	w.message("user")
	w.text(body.Get("prompt"))
	w.images(body, "prompt", position{})
	return w.Request
}

func ollamaResponse(text string) string { return `"response":` + jsontree.Quote(text) }

func (o ollamaGenerate) Turn(r Reply) []byte       { return o.object(r, ollamaResponse(r.Text), true) }
func (o ollamaGenerate) TurnStream(r Reply) []byte { return o.stream(r, ollamaResponse) }
