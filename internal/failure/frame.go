package failure

import (
	"bytes"
	"strings"

	"imagebreaker/sse"
)

// maxEvent is how much of one event of a whole stream is kept.
const maxEvent = 1 << 20

// JudgeEvent judges one event of a 200 stream. It returns false when the event
// is no error frame: deltas, tool input and other model output never count.
// Ordinary deltas cost a search for a few bytes.
func JudgeEvent(name string, data []byte) (Judgement, bool) {
	return standard().event(name, data, 200)
}

func (e *engine) event(name string, data []byte, status int) (Judgement, bool) {
	named := name == "error" || strings.HasSuffix(name, "Exception")
	if !named && !bytes.Contains(data, []byte("error")) {
		return Judgement{}, false
	}
	if !named && !isFrame(data) {
		return Judgement{}, false
	}
	class := "" // of a Bedrock exception: nothing else tells it
	if name != "error" && named {
		class = name
	}
	return e.error(prepare(data), status, class), true
}

// isFrame reports whether a JSON text is an error by its outermost fields.
// Whatever it has deeper inside is the model's. Only the beginning is read: a
// text with its middle cut out could show the inside of a string as a field.
func isFrame(data []byte) bool {
	body := strings.TrimSpace(string(data[:min(len(data), maxBody)]))
	if !strings.HasPrefix(body, "{") && !strings.HasPrefix(body, "[") {
		return false
	}
	v, _, _, ok := readLiteral(body)
	if !ok {
		return false
	}
	if v.kind == kindArray { // Gemini without SSE: one array, the error its last element
		for _, kid := range v.kids {
			if isErrorObject(kid) {
				return true
			}
		}
	}
	return isErrorObject(v)
}

// isErrorObject knows the frames: Anthropic and OpenAI Responses by their type,
// vLLM's and SGLang's flat object, Dify's event, and everyone's error field.
func isErrorObject(v literal) bool {
	switch v.str("type") {
	case "error", "response.failed", "response.error":
		return true
	}
	if v.str("object") == "error" || v.str("event") == "error" {
		return true
	}
	e := v.get("error")
	return e.kind == kindObject || e.kind == kindString && strings.TrimSpace(e.text) != ""
}

// isStream reports whether a body is event-stream text.
func isStream(contentType, body string) bool {
	head := strings.TrimLeft(body, " \r\n\t\uFEFF")
	for _, field := range []string{"event:", "data:", ":", "id:", "retry:"} {
		if strings.HasPrefix(head, field) {
			return true
		}
	}
	return strings.HasPrefix(strings.ToLower(contentType), "text/event-stream") && !strings.HasPrefix(head, "{")
}

// stream judges whole event-stream text by its first error frame.
func (e *engine) stream(body []byte, status int) (first Judgement, found bool) {
	scanner := sse.Scanner{Max: maxEvent}
	take := func(ev sse.Event) {
		if !found {
			first, found = e.event(ev.Name, ev.Data, status)
		}
	}
	scanner.Feed(body, take)
	scanner.End(take)
	return first, found
}
