package failure

import (
	"fmt"
	"strings"
	"testing"

	"imagebreaker/internal/record"
)

const words200 = "cannot identify image file, Could not process image, 404 Client Error: Not Found for url: https://h.example.test/a.png "

// echoed are messages that quote the client, who quotes a broken image. Each is
// decided by what the upstream itself says.
var echoed = []struct {
	echo, message string
	verdict       record.Verdict
	reason        record.Reason
}{
	{"messages-dump", `Failed to parse messages: Missing 'role' field; messages = [{"x":"` + words200 + `"}]`, record.None, "schema"},
	{"messages-dump", `Failed to parse messages: Unsupported content part type: "image_url"; messages = [{"x":"out of memory"}]`, record.Permanent, "unsupported_by_model"},
	{"model-group", "Extra inputs are not permitted. Received Model Group=cannot identify image file\nAvailable Model Group Fallbacks=None", record.None, "schema"},
	{"loaded-data", "An exception occurred while loading AUDIO data at index 0: Error while loading data b'cannot identify image file': ", record.None, "schema"},
	{"loaded-data", "An exception occurred while loading AUDIO data at index 0: Error while loading data b'cannot identify image file, \\'out of memory': Format not recognised.", record.Permanent, "decode_failed"},
	{"loaded-data", "Error while loading data ImageData(url='https://h.example.test/" + strings.Repeat("long/", 9) + "out of memory/" + strings.Repeat("x", 20) + "...: image file is truncated", record.Permanent, "decode_failed"},
	{"loaded-data", "Error while loading data ImageData(url='data:image/png;base64,AAAA...: image file is truncated", record.Permanent, "decode_failed"},
	{"conversation", `Bad body {"messages":[{"role":"user","content":"` + words200 + `"}]} here`, record.None, "schema"},
	{"data-url", `Bad value 'data:text/plain;base64,imdecode+imdecode'`, record.None, "schema"},
	{"input-field", `1 error: {'type': 'missing', 'loc': 'body.model', 'msg' 'Field required', 'input': 'I get ` + words200 + `'}`, record.None, "schema"},
	{"input-field", `[{'type': 'missing', 'loc': ('body', 'model'), 'msg': 'Field required', 'input': '` + words200 + `'}]`, record.None, "schema"},
	{"input-value", "1 validation error for Request\nmodel\n  Field required [type=missing, input_value='cannot identify image file', input_type=dict]", record.None, "schema"},
	{"flagged-input", `Refused, "flagged_input":"` + words200 + `"`, record.None, "schema"},
	{"expected-tags", "messages.1.content.0: Input tag 'x' found using 'type' does not match any of the expected tags: 'image', 'tool_use', invalid image.", record.None, "schema"},
	{"supported-values", "Invalid value: 'x'. Supported values are: 'text', 'invalid image', 'png formats: png'.", record.None, "schema"},
	{"image-content", "Input validation error: invalid image content: context_length", record.Permanent, "invalid_base64"},
	{"long-quote", `Bad value "` + strings.Repeat(words200, 3) + `" here`, record.None, "schema"},
}

func TestEchoes(t *testing.T) {
	t.Parallel()
	for _, e := range echoed {
		j := said{"", e.message}.judge(standard())
		if j.Verdict != e.verdict || j.Reason != e.reason {
			t.Errorf("%s: %q: %s %s by %s, want %s %s", e.echo, e.message, j.Verdict, j.Reason, j.Rule, e.verdict, e.reason)
		}
	}
}

// Bodies with the client's words in a field of their own.
func TestEchoedFields(t *testing.T) {
	t.Parallel()
	w := quoteJSON(words200)
	for _, body := range []string{
		`{"error":{"message":"Your input was flagged","code":403,"metadata":{"reasons":["misc"],"flagged_input":` + w + `}}}`,
		`{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":` + w + `}]}`,
		`{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":{"error":{"message":` + w + `}}}]}`,
		`{"error":{"message":"tools: Try disabling \"cannot identify image file\". No endpoints found that support tool use.","code":404}}`,
		`{"error":{"message":"Extra inputs are not permitted","type":"invalid_request_error"},"request":{"messages":[{"content":` + w + `}]}}`,
		`{"messages":[{"role":"user","content":` + w + `}]}`,
		`{"type":"x","output":` + w + `}`,
	} {
		for _, status := range []int{400, 422, 500} {
			if j := Judge(Answer{Status: status, Body: []byte(body)}); j.Verdict != record.None {
				t.Errorf("%d %.90s: %s %s by %s", status, body, j.Verdict, j.Reason, j.Rule)
			}
		}
	}
}

// A payload of megabytes stands before the cause.
func TestHugeEcho(t *testing.T) {
	t.Parallel()
	payload := strings.Repeat("iVBORw0KGgoAAAANSUhEUg", 1<<20/22)
	chat := strings.Repeat(`I wrote \"image file is truncated\". `, 1<<19/36)
	for name, c := range map[string]struct {
		body   string
		reason record.Reason
	}{
		"sglang":   {`{"object":"error","message":"An exception occurred while loading IMAGE data at index 0: Error while loading data ImageData(url='data:image/png;base64,` + payload + `', detail='auto'): cannot identify image file <_io.BytesIO object at 0x7f>","code":400}`, "decode_failed"},
		"slashes":  {`{"error":"bad ` + strings.Repeat(`AAAA\/`, 1<<17) + ` : cannot identify image file"}`, "decode_failed"},
		"fastapi":  {`{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":"` + chat + `"}]}`, "schema"},
		"llamacpp": {`{"error":{"code":400,"message":"Failed to parse messages: Missing 'role'; messages = [` + chat + `]"}}`, "schema"},
		"cut":      {(`{"error":{"message":"Failed to decoding image: 'data:image/png;base64,` + payload)[:1<<19], "decode_failed"},
	} {
		if j := Judge(Answer{Status: 400, Body: []byte(c.body)}); j.Reason != c.reason {
			t.Errorf("%s: %s %s by %s", name, j.Verdict, j.Reason, j.Rule)
		}
	}
}

func TestReprLength(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"b'a: b': cause: x":                         "b'a: b'",
		"ImageData(url='x: y', n=None): cause":      "ImageData(url='x: y', n=None)",
		"https://h/a: 403 Client Error":             "https://h/a",
		"ImageData(url='data:x...: cause":           "ImageData(url='data:x...",
		"VideoData(url='https://h/x', …: cause":     "VideoData(url='https://h/x', …",
		"{'url': 'x'}: cause":                       "{'url': 'x'}",
		"no end at all":                             "",
		"'" + strings.Repeat("x", 98) + "...: y: z": "'" + strings.Repeat("x", 98) + "...",
	} {
		if got := s[:reprLength(s)]; got != want {
			t.Errorf("repr of %q is %q, want %q", s, got, want)
		}
	}
}

func ExampleJudge() {
	j := Judge(Answer{Status: 500, Body: []byte(`{"error":{"message":"litellm.InternalServerError: BedrockException - {\"message\":\"Could not process image\"}"}}`)})
	fmt.Println(j.Verdict, j.Reason, j.Message)
	// Output: permanent decode_failed Could not process image
}
