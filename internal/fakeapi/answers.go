package fakeapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// API is a wire API that the upstream can speak.
type API string

const (
	Anthropic API = "anthropic"
	Chat      API = "openai_chat"
	Responses API = "openai_responses"
	Gemini    API = "gemini"
)

// Of tells the API of a request's path.
func Of(uri string) API {
	switch {
	case strings.Contains(uri, "/chat/completions"):
		return Chat
	case strings.Contains(uri, "/responses"):
		return Responses
	case strings.Contains(uri, "/models/"):
		return Gemini
	case strings.Contains(uri, "/model/") && strings.Contains(uri, "/converse"):
		return Converse
	case strings.Contains(uri, "/model/"):
		return Invoke
	}
	return Anthropic
}

// JSON is an answer with a JSON body.
func JSON(status int, body string) Answer {
	return Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}, "Request-Id": {"req_fake"}}, Body: []byte(body)}
}

// BadImage is the API's own complaint about an image that it cannot decode. It
// names no image.
func BadImage(a API) Answer {
	switch a {
	case Chat:
		return JSON(400, `{"error":{"message":"You uploaded an unsupported image. Please make sure your image is valid.","type":"invalid_request_error","param":null,"code":"image_parse_error"}}`)
	case Responses:
		return JSON(400, `{"error":{"message":"The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].","type":"invalid_request_error","param":"input","code":"invalid_value"}}`)
	}
	if a == Converse || a == Invoke {
		return Exception(400, "ValidationException", "The model returned the following errors: Could not process image")
	}
	if a == Gemini {
		return JSON(400, `{"error":{"code":400,"message":"Provided image is not valid.","status":"INVALID_ARGUMENT"}}`)
	}
	return JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"},"request_id":"req_fake"}`)
}

// Success is a finished turn of the API that says text.
func Success(a API, stream bool, text string) Answer {
	if a == Converse || a == Invoke {
		return bedrockSuccess(a, stream, text)
	}
	t := quoted(text)
	if stream {
		return Answer{Header: http.Header{"Content-Type": {"text/event-stream"}, "Request-Id": {"req_fake"}}, Pieces: successStream(a, t)}
	}
	switch a {
	case Chat:
		return JSON(200, `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":`+t+`},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	case Responses:
		return JSON(200, response("completed", message("completed", outputText(t))))
	}
	if a == Gemini {
		return JSON(200, geminiTurn(t))
	}
	return JSON(200, `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":`+t+`}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`)
}

// successStream lists the events of a finished turn; t is the text as JSON.
func successStream(a API, t string) []string {
	switch a {
	case Chat:
		chunk := func(delta, finish string) string {
			return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + "}]}\n\n"
		}
		return []string{chunk(`{"role":"assistant","content":""}`, "null"), chunk(`{"content":`+t+`}`, "null"), chunk(`{}`, `"stop"`), "data: [DONE]\n\n"}
	case Responses:
		const place = `"item_id":"msg_1","output_index":0,"content_index":0,`
		done := message("completed", outputText(t))
		return []string{
			named("response.created", `"response":`+response("in_progress", "")),
			named("response.output_item.added", `"output_index":0,"item":`+message("in_progress", "")),
			named("response.content_part.added", place+`"part":`+outputText(`""`)),
			named("response.output_text.delta", place+`"delta":`+t),
			named("response.output_text.done", place+`"text":`+t),
			named("response.content_part.done", place+`"part":`+outputText(t)),
			named("response.output_item.done", `"output_index":0,"item":`+done),
			named("response.completed", `"response":`+response("completed", done)),
		}
	}
	if a == Gemini {
		return []string{"data: " + geminiTurn(t) + "\r\n\r\n"}
	}
	return []string{
		named("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`),
		named("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`),
		named("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":`+t+`}`),
		named("content_block_stop", `"index":0`),
		named("message_delta", `"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}`),
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
	}
}

// response, message and outputText are what a turn of Responses is made of.
func response(status, output string) string {
	return fmt.Sprintf(`{"id":"resp_1","object":"response","created_at":1,"status":%q,"error":null,"model":"m","output":[%s]}`, status, output)
}

func message(status, content string) string {
	return fmt.Sprintf(`{"type":"message","id":"msg_1","status":%q,"role":"assistant","content":[%s]}`, status, content)
}

func outputText(t string) string {
	return `{"type":"output_text","text":` + t + `,"annotations":[]}`
}

func geminiTurn(t string) string {
	return `{"candidates":[{"content":{"parts":[{"text":` + t + `}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"totalTokenCount":2}}`
}

func named(event, rest string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q,%s}\n\n", event, event, rest)
}

// Always gives one answer to everything.
func Always(a Answer) Script { return func(Request) Answer { return a } }

// InTurn gives the answers one after the other, the last one for ever.
func InTurn(as ...Answer) Script {
	first := 0
	return func(r Request) Answer {
		if first == 0 {
			first = r.N
		}
		return as[min(r.N-first, len(as)-1)]
	}
}

// Refusing complains in the request's own API while a body contains one of the
// needles, and gives a success otherwise.
func Refusing(needles ...string) Script {
	return func(r Request) Answer {
		for _, n := range needles {
			if bytes.Contains(r.Body, []byte(n)) {
				return BadImage(Of(r.URI))
			}
		}
		stream := bytes.Contains(r.Body, []byte(`"stream":true`)) || strings.Contains(r.URI, "alt=sse") || strings.Contains(r.URI, "-stream")
		return Success(Of(r.URI), stream, "all good")
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return string(b)
}
