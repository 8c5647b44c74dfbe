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

// extracted is what an answer says once its envelopes are off.
type extracted struct {
	message  string   // the innermost, raw
	around   []string // what relays wrote before and after it, outermost first
	codes    []string // codes, types, statuses by name: innermost first
	code     string   // the one beside the message
	status   int      // the innermost HTTP status that an envelope names; 0 if none
	param    string   // the innermost param
	fields   []string // Google's field violations
	layers   []string // names of the envelopes, outermost first
	trailers []echo   // what ends a message although more text follows
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
func unwrap(body string, trailers []echo) extracted {
	x := &extracted{trailers: trailers}
	if !x.root(body) {
		x.text(body, 0)
	}
	slices.Reverse(x.codes)
	return *x
}

// root reads a body that is one JSON value. An object without a known place for
// a message has none: its other fields may be anybody's words.
func (x *extracted) root(body string) bool {
	body = strings.TrimSpace(body)
	v, n, python, ok := readLiteral(body)
	if !ok || v.kind == kindString || strings.TrimSpace(body[n:]) != "" {
		return false
	}
	x.layer("json")
	if python {
		x.layers[0] = "python repr"
	}
	x.value(v, 0)
	return true
}

// text looks for an envelope in s: s may be one, or hold one in its prose.
func (x *extracted) text(s string, depth int) {
	s = strings.TrimSpace(cut(x.trailers, s))
	if e, ok := findEnvelope(s); ok && depth < maxLayers {
		x.layer(e.layer)
		x.aside(s[:e.start], s[e.end:])
		if e.inner != "" {
			x.text(e.inner, depth+1)
			return
		}
		if x.value(e.value, depth+1) {
			return
		}
	}
	x.message = s
}

func (x *extracted) layer(name string) { x.layers = append(x.layers, name) }

// aside keeps the prose around an envelope: relays put classes of errors before
// it, and a process that died may have its last words behind it.
func (x *extracted) aside(before, after string) {
	for _, s := range []string{before, after} {
		if s = strings.TrimSpace(s); s != "" {
			x.around = append(x.around, shorten(s, maxMessage/4))
		}
	}
}

// value reports whether it found a message in v.
func (x *extracted) value(v literal, depth int) bool {
	switch {
	case depth > maxLayers:
		return false
	case v.kind == kindString && strings.TrimSpace(v.text) != "":
		x.text(v.text, depth)
		return true
	case v.kind == kindArray:
		return x.list(v, depth)
	case v.kind == kindObject:
		return x.object(v, depth)
	}
	return false
}

// list takes the validator's findings together, and else the first entry that
// says something.
func (x *extracted) list(v literal, depth int) bool {
	var found []string
	for _, kid := range v.kids[:min(len(v.kids), maxItems)] {
		if s, ok := finding(kid); ok {
			found = append(found, s)
		} else if kid.kind == kindString {
			found = append(found, kid.text)
		}
	}
	if len(found) > 0 {
		x.layer("list of findings")
		x.message = strings.Join(found, "; ")
		return true
	}
	x.layer("array")
	for _, kid := range v.kids[:min(len(v.kids), maxItems)] {
		if isEnvelope(kid) && x.object(kid, depth+1) {
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

func (x *extracted) object(o literal, depth int) bool {
	if s, ok := finding(o); ok {
		x.layer("finding")
		x.message = s
		return true
	}
	x.note(o)
	x.aside("", o.str("originalMessage"))
	if e, m := o.str("error"), o.str("message"); e != "" && m != "" && !strings.Contains(m, e) {
		x.layer("error and message")
		x.text(e+": "+m, depth+1)
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
		x.layer(strings.Join(path, "."))
		if len(path) > 1 {
			x.aside(o.str("error"), o.str("message"))
		}
		if x.value(v, depth+1) {
			return true
		}
		x.layers = x.layers[:len(x.layers)-1]
	}
	return false
}

// note collects what an envelope says beside its message.
func (x *extracted) note(o literal) {
	beside := ""
	for _, key := range codeKeys {
		s := o.str(key)
		if s == "" || len(s) > 80 {
			continue
		}
		x.codes = append(x.codes, strings.ToLower(s))
		if _, err := strconv.Atoi(s); err != nil && beside == "" && s != "error" {
			beside = s
		}
	}
	if beside != "" {
		x.code = beside
	}
	for _, key := range statusKeys {
		if n, err := strconv.Atoi(o.get(key).text); err == nil && n >= 400 && n <= 599 {
			x.status = n
		}
	}
	if p := o.str("param"); p != "" {
		x.param = p
	}
	for _, d := range o.get("details").kids {
		for _, f := range d.get("fieldViolations").kids {
			x.fields = append(x.fields, f.str("field"))
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
