package proxy_test

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// A word in @…@ stands for a canary, by the field that it is put into.
var placeholder = regexp.MustCompile(`@([a-z]+)@`)

// canary is the word for a field. No mask of the log or of an answer takes it
// for anything but a plain word.
func canary(field string) string { return "zq" + field + "qz" }

// planted is a text with the canaries in their places.
func planted(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		word := canary(strings.Trim(s, "@"))
		if s == "@payload@" {
			return base64.StdEncoding.EncodeToString([]byte("no picture at all " + word + word + word))
		}
		return word
	})
}

// fieldsIn are the fields that a text has canaries for.
func fieldsIn(texts ...string) []string {
	var out []string
	for _, t := range texts {
		for _, m := range placeholder.FindAllStringSubmatch(t, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// canaryTalk is a request of an API with a canary in every field. A later turn
// has more at its end.
type canaryTalk struct {
	path, count string
	body        string // LATER is where a later turn goes on
	later       string
}

const (
	canaryURL  = `https://@urluser@:@urlpassword@@urlhost@.test/@urlfolder@/picture.png?sig=@urlquery@#@urlfragment@`
	canaryFile = `/home/@folder@/@file@.png`
	canaryArgs = `{\"file_path\":\"` + canaryFile + `\",\"@argumentname@\":\"@argument@\"}`
)

func canaryTalks() map[string]canaryTalk {
	args := strings.ReplaceAll(canaryArgs, `\"`, `"`)
	return map[string]canaryTalk{
		"anthropic": {
			path: "/@prefix@/v1/messages?beta=@query@", count: "/@prefix@/v1/messages/count_tokens?key=@query@",
			body: `{"model":"@model@","system":[{"type":"text","text":"@system@"}],"metadata":{"user_id":"@userid@","@metadataname@":"@metadata@"},` +
				`"tools":[{"name":"@toolname@","description":"@tool@"}],"messages":[{"role":"user","content":[{"type":"text","text":"@prompt@"},` +
				`{"type":"image","source":{"type":"file","file_id":"@fileid@"}},{"type":"image","source":{"type":"url","url":"` + canaryURL + `"}}]},` +
				`{"role":"assistant","content":[{"type":"thinking","thinking":"@thinking@","signature":"@signature@"},{"type":"tool_use","id":"@callid@","name":"@called@","input":` + args + `}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"@callid@","content":[{"type":"text","text":"@result@"},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/@mediatype@","data":"@payload@"}}]}]}LATER]}`,
			later: `,{"role":"assistant","content":"@answer@"},{"role":"user","content":"@laterprompt@"}`,
		},
		"openai_chat": {
			path: "/@prefix@/chat/completions?key=@query@",
			body: `{"model":"@model@","user":"@userid@","metadata":{"@metadataname@":"@metadata@"},"tools":[{"type":"function","function":{"name":"@toolname@","description":"@tool@"}}],` +
				`"messages":[{"role":"system","content":"@system@"},{"role":"user","content":[{"type":"text","text":"@prompt@"},{"type":"image_url","image_url":{"url":"` + canaryURL + `"}},{"type":"file","file":{"file_id":"@fileid@"}}]},` +
				`{"role":"assistant","content":null,"reasoning":"@thinking@","tool_calls":[{"id":"@callid@","type":"function","function":{"name":"@called@","arguments":"` + canaryArgs + `"}}]},` +
				`{"role":"tool","tool_call_id":"@callid@","content":"@result@"},` +
				`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/@mediatype@;base64,@payload@"}}]}LATER]}`,
			later: `,{"role":"assistant","content":"@answer@"},{"role":"user","content":"@laterprompt@"}`,
		},
		"openai_responses": {
			path: "/@prefix@/responses?key=@query@", count: "/@prefix@/responses/input_tokens?key=@query@",
			body: `{"model":"@model@","instructions":"@system@","user":"@userid@","metadata":{"@metadataname@":"@metadata@"},"tools":[{"type":"function","name":"@toolname@","description":"@tool@"}],` +
				`"input":[{"role":"user","content":[{"type":"input_text","text":"@prompt@"},{"type":"input_image","image_url":"` + canaryURL + `"},{"type":"input_image","file_id":"@fileid@"}]},` +
				`{"type":"reasoning","encrypted_content":"@thinking@","summary":[]},{"type":"function_call","call_id":"@callid@","name":"@called@","arguments":"` + canaryArgs + `"},` +
				`{"type":"function_call_output","call_id":"@callid@","output":[{"type":"input_text","text":"@result@"},{"type":"input_image","image_url":"data:image/@mediatype@;base64,@payload@"}]}LATER]}`,
			later: `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"@answer@"}]},{"role":"user","content":"@laterprompt@"}`,
		},
		"gemini": {
			path: "/@prefix@/v1beta/models/@model@:generateContent?key=@query@", count: "/@prefix@/v1beta/models/@model@:countTokens?key=@query@",
			body: `{"systemInstruction":{"parts":[{"text":"@system@"}]},"labels":{"@metadataname@":"@metadata@"},"tools":[{"functionDeclarations":[{"name":"@toolname@","description":"@tool@"}]}],` +
				`"contents":[{"role":"user","parts":[{"text":"@prompt@"},{"fileData":{"fileUri":"` + canaryURL + `"}},{"fileData":{"fileUri":"files/@fileid@"}}]},` +
				`{"role":"model","parts":[{"functionCall":{"name":"@called@","args":` + args + `},"thoughtSignature":"@signature@"}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"@called@","response":{"output":"@result@"}}},{"inlineData":{"mimeType":"image/@mediatype@","data":"@payload@"}}]}LATER]}`,
			later: `,{"role":"model","parts":[{"text":"@answer@"}]},{"role":"user","parts":[{"text":"@laterprompt@"}]}`,
		},
		"ollama_chat": {
			path: "/@prefix@/api/chat?key=@query@",
			body: `{"model":"@model@","stream":false,"options":{"@metadataname@":"@metadata@"},"tools":[{"type":"function","function":{"name":"@toolname@","description":"@tool@"}}],` +
				`"messages":[{"role":"system","content":"@system@"},{"role":"assistant","content":"","thinking":"@thinking@","tool_calls":[{"function":{"name":"@called@","arguments":` + args + `}}]},` +
				`{"role":"tool","tool_name":"@called@","content":"@result@"},{"role":"user","content":"@prompt@","images":["@payload@"]}LATER]}`,
			later: `,{"role":"assistant","content":"@answer@"},{"role":"user","content":"@laterprompt@"}`,
		},
		"ollama_generate": {
			path: "/@prefix@/api/generate?key=@query@",
			body: `{"model":"@model@","stream":false,"system":"@system@","template":"@tool@","prompt":"@prompt@ ` + canaryFile + `","images":["@payload@"]LATER}`, later: `,"suffix":"@laterprompt@"`,
		},
		"sglang": {
			path: "/@prefix@/generate?key=@query@",
			body: `{"text":"@prompt@","image_data":["@payload@"],"sampling_params":{"stop":"@metadata@"}LATER}`, later: `,"rid":"@laterprompt@"`,
		},
	}
}

// canaryHeaders are sent with every request, beside those of a session.
var canaryHeaders = []string{
	"Authorization", "Bearer @authorization@", "X-Api-Key", "@apikey@", "X-Goog-Api-Key", "@googkey@", "Cookie", "sid=@cookie@",
	"Proxy-Authorization", "Basic @proxyauth@", "X-Custom", "@custom@", "User-Agent", "@useragent@", "Referer", "https://@referer@.test/?a=b",
	"Openai-Organization", "@organization@", "X-Forwarded-For", "@forwarded@", "X-Codex-Turn-Metadata", `{"@turnmetadata@":"@turnmetadata@"}`, "Anthropic-Beta", "@beta@",
}

// What the upstream says, and in what it says it.
const (
	canaryError = `{"type":"error","error":{"type":"@errortype@","code":"@errorcode@","param":"@errorparam@","status":"@errorstatus@",` +
		`"message":"Could not process image: @errorwords@ (see https://@erroruser@:@errorpassword@@errorhost@.test/@errorpath@?sig=@errorquery@, Bearer @errorbearer@, sk-@errorkey@, data:image/png;base64,@payload@)"},` +
		`"request_id":"@errorid@","metadata":{"@errorname@":"@errormetadata@"}}`
	canaryOther   = `{"error":{"type":"@errortype@","code":"@errorcode@","message":"slow down, @errorwords@"}}`
	canaryFetch   = `{"error":{"type":"invalid_request_error","message":"Error while downloading ` + canaryURL + `. Upstream status code: 404 @errorwords@"}}`
	canaryMany    = `{"type":"error","error":{"type":"invalid_request_error","message":"too many images: at most 1 images are allowed @errorwords@"}}`
	canarySuccess = `{"id":"@answerid@","model":"@answermodel@","choices":[{"message":{"content":"@answer@"}}],"content":[{"type":"text","text":"@answer@"}],"candidates":[{"content":{"parts":[{"text":"@answer@"}]}}]}`
)

var canaryAnswerHeaders = map[string][]string{
	"Content-Type": {"application/json"}, "Set-Cookie": {"s=@setcookie@"}, "X-Upstream": {"@answerheader@"}, "Location": {"https://@location@.test/?a=b"},
	"Request-Id": {"for @requestid@, with love"}, "Retry-After": {"@retryafter@"}, "Www-Authenticate": {"@authenticate@"},
}
