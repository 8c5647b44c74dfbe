package failure

import (
	"slices"
	"strconv"
	"strings"
)

const (
	maxLayers   = 12 // envelopes inside each other
	maxAttempts = 24 // places of one text where a literal may begin
	maxItems    = 16 // entries of one list of errors
)

// told is what an answer says once its envelopes are off.
type told struct {
	message string   // the innermost, raw
	around  []string // what relays wrote before and after it, outermost first
	codes   []string // codes, types, statuses by name: innermost first
	code    string   // the one beside the message
	status  int      // the innermost HTTP status that an envelope names; 0 if none
	param   string   // the innermost param
	fields  []string // Google's field violations
	layers  []string // names of the envelopes, outermost first
	tails   []echo   // what ends a message although more text follows
}

// envelopes lists where an object keeps its message, the innermost layer's place
// first. Sources: OpenRouter metadata.raw; OpenAI Responses response.error;
// Pollinations, of Portkey, details.error;
// OpenAI, Anthropic, Gemini, vLLM, Ollama, xAI error; Bedrock, SGLang, Dynamo,
// Mistral message; FastAPI detail; DashScope and MiniMax *msg; Bedrock's stream
// originalMessage; RFC 9457 title.
var envelopes = [][]string{
	{"metadata", "raw"}, {"response", "error"}, {"details", "error"}, {"error"}, {"message"}, {"detail"}, {"errors"}, {"msg"},
	{"error_message"}, {"errorMessage"}, {"error_msg"}, {"Message"}, {"base_resp"}, {"status_msg"},
	{"error_description"}, {"title"},
}

// names of codes, and keys that hold an HTTP status.
var (
	codeKeys   = []string{"code", "type", "status", "reason", "error_type", "error_code", "error_name", "__type", "title"}
	statusKeys = []string{"code", "status", "status_code", "http_status_code", "statusCode", "originalStatusCode", "raw_status_code"}
)

// unwrap takes the envelopes off an error answer's body.
func unwrap(body string, tails []echo) told {
	t := &told{tails: tails}
	if !t.root(body) {
		t.text(body, 0)
	}
	slices.Reverse(t.codes)
	return *t
}

// root reads a body that is one JSON value. An object without a known place for
// a message has none: its other fields may be anybody's words.
func (t *told) root(body string) bool {
	body = strings.TrimSpace(body)
	v, n, python, ok := readLiteral(body)
	if !ok || v.kind == kindString || strings.TrimSpace(body[n:]) != "" {
		return false
	}
	t.layer("json")
	if python {
		t.layers[0] = "python repr"
	}
	t.value(v, 0)
	return true
}

// text looks for an envelope in s: s may be one, or hold one in its prose.
func (t *told) text(s string, depth int) {
	s = strings.TrimSpace(cut(t.tails, s))
	if e, ok := findEnvelope(s); ok && depth < maxLayers {
		t.layer(e.layer)
		t.aside(s[:e.start], s[e.end:])
		if e.inner != "" {
			t.text(e.inner, depth+1)
			return
		}
		if t.value(e.value, depth+1) {
			return
		}
	}
	t.message = s
}

func (t *told) layer(name string) { t.layers = append(t.layers, name) }

// aside keeps the prose around an envelope: relays put classes of errors before
// it, and a process that died may have its last words behind it.
func (t *told) aside(before, after string) {
	for _, s := range []string{before, after} {
		if s = strings.TrimSpace(s); s != "" {
			t.around = append(t.around, shorten(s, maxMessage/4))
		}
	}
}

// value reports whether it found a message in v.
func (t *told) value(v literal, depth int) bool {
	switch {
	case depth > maxLayers:
		return false
	case v.kind == kindString && strings.TrimSpace(v.text) != "":
		t.text(v.text, depth)
		return true
	case v.kind == kindArray:
		return t.list(v, depth)
	case v.kind == kindObject:
		return t.object(v, depth)
	}
	return false
}

// list takes the validator's findings together, and else the first entry that
// says something.
func (t *told) list(v literal, depth int) bool {
	var found []string
	for _, kid := range v.kids[:min(len(v.kids), maxItems)] {
		if s, ok := finding(kid); ok {
			found = append(found, s)
		} else if kid.kind == kindString {
			found = append(found, kid.text)
		}
	}
	if len(found) > 0 {
		t.layer("list of findings")
		t.message = strings.Join(found, "; ")
		return true
	}
	t.layer("array")
	for _, kid := range v.kids[:min(len(v.kids), maxItems)] {
		if isEnvelope(kid) && t.object(kid, depth+1) {
			return true
		}
	}
	return false
}

// finding is one entry of a validator's list (FastAPI, pydantic, zod): where and
// what, and never the input, which is the user's.
func finding(v literal) (string, bool) {
	msg := v.str("msg") + v.str("message")
	where := v.get("loc")
	if where.kind == kindOther {
		where = v.get("path")
	}
	if msg == "" || where.kind != kindArray && where.kind != kindString {
		return "", false
	}
	steps := []string{}
	for _, s := range where.kids {
		steps = append(steps, s.text)
	}
	if where.kind == kindString {
		steps = append(steps, where.text)
	}
	return strings.Join(steps, ".") + ": " + msg, true
}

func (t *told) object(o literal, depth int) bool {
	if s, ok := finding(o); ok {
		t.layer("finding")
		t.message = s
		return true
	}
	t.note(o)
	t.aside("", o.str("originalMessage"))
	if e, m := o.str("error"), o.str("message"); e != "" && m != "" && !strings.Contains(m, e) {
		t.layer("error and message")
		t.text(e+": "+m, depth+1)
		return true
	}
	for _, path := range envelopes {
		v := o
		for _, key := range path {
			v = v.get(key)
		}
		if v.kind == kindOther || v.kind == kindNumber {
			continue
		}
		t.layer(strings.Join(path, "."))
		if len(path) > 1 {
			t.aside(o.str("error"), o.str("message"))
		}
		if t.value(v, depth+1) {
			return true
		}
		t.layers = t.layers[:len(t.layers)-1]
	}
	return false
}

// note collects what an envelope says beside its message.
func (t *told) note(o literal) {
	beside := ""
	for _, key := range codeKeys {
		s := o.str(key)
		if s == "" || len(s) > 80 {
			continue
		}
		t.codes = append(t.codes, strings.ToLower(s))
		if _, err := strconv.Atoi(s); err != nil && beside == "" && s != "error" {
			beside = s
		}
	}
	if beside != "" {
		t.code = beside
	}
	for _, key := range statusKeys {
		if n, err := strconv.Atoi(o.get(key).text); err == nil && n >= 400 && n <= 599 {
			t.status = n
		}
	}
	if p := o.str("param"); p != "" {
		t.param = p
	}
	for _, d := range o.get("details").kids {
		for _, f := range d.get("fieldViolations").kids {
			t.fields = append(t.fields, f.str("field"))
		}
	}
}

// isEnvelope reports whether v looks like an error rather than like a piece of a
// conversation, which has messages too.
func isEnvelope(v literal) bool {
	if v.kind == kindArray {
		return slices.ContainsFunc(v.kids[:min(len(v.kids), maxItems)], isEnvelope)
	}
	if v.kind != kindObject || isConversation(v) {
		return false
	}
	if _, ok := finding(v); ok {
		return true
	}
	return slices.ContainsFunc(envelopes, func(path []string) bool {
		return path[0] != "title" && path[0] != "details" && slices.Contains(v.keys, path[0])
	})
}

// isConversation reports whether v is what the client sent.
func isConversation(v literal) bool {
	if v.kind == kindArray {
		return len(v.kids) > 0 && isConversation(v.kids[0])
	}
	return slices.ContainsFunc(v.keys, func(k string) bool {
		return k == "role" || k == "messages" || k == "contents" || k == "content" || k == "image_url"
	})
}
