package failure

import (
	"encoding/base64"
	"strings"
	"testing"

	"imagebreaker/internal/record"
)

// frames are error events of real streams, in every form that is known.
var frames = []struct {
	name, event, data string
	verdict           record.Verdict
	reason            record.Reason
}{
	{"anthropic", "error", `{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}`, record.Permanent, "decode_failed"},
	{"anthropic overload", "error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, record.None, "overloaded"},
	{"openai chat", "", `{"error":{"message":"Invalid image.","type":"invalid_request_error","param":null,"code":null}}`, record.Permanent, "decode_failed"},
	{"openai chat server", "", `{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error"}}`, record.None, "server_error"},
	{"responses failed", "response.failed", `{"type":"response.failed","response":{"error":{"code":"invalid_image_format","message":"?"}}}`, record.Permanent, "unsupported_format"},
	{"responses failed, no error", "response.failed", `{"type":"response.failed","response":{"error":null,"output":[{"text":"error: cannot identify image file"}]}}`, record.None, "server_error"},
	{"responses flat", "error", `{"type":"error","code":"empty_image_file","message":"?","param":null,"sequence_number":3}`, record.Permanent, "empty_image"},
	{"responses flat, unnamed", "", `{"type":"error","code":"invalid_image","message":"?"}`, record.Permanent, "decode_failed"},
	{"vllm", "", `{"error":{"message":"EngineCore encountered an issue.","type":"InternalServerError","code":500}}`, record.None, "infra"},
	{"sglang wraps flat", "", `{"error":{"object":"error","message":"An exception occurred while loading IMAGE data at index 0: Error while loading data x: cannot identify image file","code":400}}`, record.Permanent, "decode_failed"},
	{"flat object", "", `{"object":"error","message":"cannot identify image file","code":400}`, record.Permanent, "decode_failed"},
	{"tgi", "", `{"error":{"message":"Input validation error: invalid image: The image format could not be determined","http_status_code":422}}`, record.Permanent, "decode_failed"},
	{"ollama", "", `{"error":"image: unknown format"}`, record.Permanent, "decode_failed"},
	{"openrouter", "", `{"id":"g","choices":[{"delta":{"content":""},"finish_reason":"error"}],"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"Provided image is not valid."}}}`, record.Permanent, "decode_failed"},
	{"dify", "", `{"event":"error","status":400,"code":"x","message":"PluginInvokeError: image_url must be a data URI or a valid URL"}`, record.Permanent, "invalid_url"},
	{"bedrock", "validationException", `{"message":"Could not process image"}`, record.Permanent, "decode_failed"},
	{"bedrock stream", "modelStreamErrorException", `{"message":"An error occurred while streaming the response.","originalStatusCode":500,"originalMessage":"Could not process image"}`, record.None, "server_error"},
	{"bedrock stream, the client's fault", "modelStreamErrorException", `{"message":"The model returned an error.","originalStatusCode":400,"originalMessage":"Could not process image"}`, record.Permanent, "decode_failed"},
	{"bedrock pace", "throttlingException", `{"message":"No."}`, record.None, "rate_limit"},
	{"bedrock pace, image", "throttlingException", `{"message":"Too many image tokens, please wait before trying again."}`, record.None, "rate_limit"},
	{"bedrock time", "modelTimeoutException", `{"message":"No."}`, record.None, "timeout"},
	{"bedrock capacity", "serviceUnavailableException", `{"message":"No."}`, record.None, "overloaded"},
	{"bedrock server", "internalServerException", `{"message":"The system encountered an unexpected error during processing. Try your request again."}`, record.None, "server_error"},
	{"bedrock front door", "validationException", `{"message":"1 validation error detected: Value at 'messages.1.member.content.2.member.image.format' failed to satisfy constraint: Member must satisfy enum value set: [gif, jpeg, png, webp]"}`, record.Permanent, "unsupported_format"},
	{"bedrock, of no class", "InternalFailure", `{"error":{"code":"InternalFailure","message":"No."}}`, record.None, "server_error"},
	{"gemini array", "", `[{"candidates":[]},{"error":{"code":400,"message":"Provided image is not valid.","status":"INVALID_ARGUMENT"}}]`, record.Permanent, "decode_failed"},
	{"plain text", "error", `Could not process image`, record.Permanent, "decode_failed"},
	{"empty", "error", ``, record.None, "server_error"},
}

func TestJudgeEvent(t *testing.T) {
	t.Parallel()
	for _, f := range frames {
		j, ok := JudgeEvent(f.event, []byte(f.data))
		if !ok || j.Verdict != f.verdict || j.Reason != f.reason {
			t.Errorf("%s: %v %s %s by %s, want %s %s", f.name, ok, j.Verdict, j.Reason, j.Rule, f.verdict, f.reason)
		}
	}
}

// A whole stream says what its error event says, however it is framed.
func TestWholeStream(t *testing.T) {
	t.Parallel()
	const delta = "data: {\"choices\":[{\"delta\":{\"content\":\"error: Invalid image.\"}}],\"error\":null}"
	for _, f := range frames {
		for _, end := range []string{"\n", "\r\n"} {
			lines := []string{": OPENROUTER PROCESSING", "", delta, ""}
			if f.event != "" {
				lines = append(lines, "event: "+f.event)
			}
			body := strings.Join(append(lines, "data: "+f.data, "", "data: [DONE]", "", ""), end)
			j := Judge(Answer{Status: 200, ContentType: "text/event-stream", Body: []byte(body)})
			if j.Verdict != f.verdict || j.Reason != f.reason || j.Layers[0] != "event stream" {
				t.Errorf("%s: %s %s by %s %q, want %s %s", f.name, j.Verdict, j.Reason, j.Rule, j.Layers, f.verdict, f.reason)
			}
		}
	}
}

// marker is what every rule would jump at.
const marker = `{\"type\":\"error\",\"error\":{\"message\":\"An exception occurred while loading IMAGE data at index 0: cannot identify image file; Could not process image; 404, message='Not Found', url='https://h.example.test/a.png'\",\"code\":\"invalid_image\"}}`

// Model output, tool input and echoes of the conversation never count, whatever
// they quote.
func TestModelOutput(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + marker + `"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"` + marker + `"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","name":"error","input":{"error":{"message":"` + marker + `"}}}}`,
		`{"type":"message_start","message":{"role":"assistant","content":[],"error":{"message":"` + marker + `"}}}`,
		`{"choices":[{"index":0,"delta":{"content":"` + marker + `"}}],"error":null}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"name":"error","arguments":"` + marker + `"}}]}}]}`,
		`{"type":"response.output_text.delta","delta":"` + marker + `"}`,
		`{"type":"response.completed","response":{"error":null,"output":[{"content":[{"text":"` + marker + `"}]}]}}`,
		`{"type":"response.function_call_arguments.done","arguments":"` + marker + `"}`,
		`{"candidates":[{"content":{"parts":[{"text":"` + marker + `"},{"functionCall":{"name":"x","args":{"error":{"message":"` + marker + `"}}}}]}}]}`,
		`{"model":"m","message":{"role":"assistant","content":"` + marker + `"},"done":false}`,
		`[DONE]`,
		marker,
	} {
		if j, ok := JudgeEvent("", []byte(data)); ok {
			t.Errorf("event %.80s: %s %s by %s", data, j.Verdict, j.Reason, j.Rule)
		}
		for _, a := range []Answer{
			{Status: 200, ContentType: "application/json", Body: []byte(data)},
			{Status: 200, ContentType: "text/event-stream", Body: []byte("data: " + data + "\n\n")},
			{Status: 200, Body: []byte("data: " + data + "\n\n")},
		} {
			if j := Judge(a); j.Verdict != record.None || j.Reason != "model_text" {
				t.Errorf("%s %.80s: %s %s by %s", a.ContentType, a.Body, j.Verdict, j.Reason, j.Rule)
			}
		}
	}
}

// Bedrock's events are named, and none of the names below is an exception's.
func TestBedrockModelOutput(t *testing.T) {
	t.Parallel()
	inner := base64.StdEncoding.EncodeToString([]byte(`{"type":"error","error":{"message":"Could not process image"}}`))
	for _, e := range [][2]string{
		{"messageStart", `{"role":"assistant"}`},
		{"contentBlockStart", `{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"1","name":"error"}}}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"` + marker + `"}}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":"` + marker + `"}},"p":"abc"}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"validationException: Could not process image"}}`},
		{"contentBlockStop", `{"contentBlockIndex":0}`},
		{"messageStop", `{"stopReason":"end_turn","additionalModelResponseFields":{"error":{"message":"` + marker + `"}}}`},
		{"metadata", `{"usage":{},"metrics":{"latencyMs":1},"trace":{"guardrail":{"error":"` + marker + `"}}}`},
		{"chunk", `{"bytes":"` + inner + `","p":"error"}`},
	} {
		if j, ok := JudgeEvent(e[0], []byte(e[1])); ok {
			t.Errorf("%s %.80s: %s %s by %s", e[0], e[1], j.Verdict, j.Reason, j.Rule)
		}
	}
}

func TestSilentEmpty(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]record.Reason{
		`{"choices":[{"message":{"content":""}}],"usage":{"completion_tokens":0}}`:                   "silent_empty",
		`{"choices":[{"message":{"content":""}}],"usage":{"completion_tokens":7}}`:                   "model_text",
		`{"choices":[{"message":{"content":"x"}}],"usage":{"completion_tokens":0}}`:                  "model_text",
		`{"choices":[{"message":{"content":null,"tool_calls":[]}}],"usage":{"completion_tokens":0}}`: "model_text",
	} {
		if j := Judge(Answer{Status: 200, Body: []byte(body)}); j.Verdict != record.None || j.Reason != want {
			t.Errorf("%s: %s %s, want none %s", body, j.Verdict, j.Reason, want)
		}
	}
}
