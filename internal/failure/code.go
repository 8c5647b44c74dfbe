package failure

import (
	"regexp"
	"slices"
)

// codes are decided by when no wording was known. Codes that several kinds of
// failure share (invalid_image_url, 3310, invalid_value) are not here.
func codes() []codeRule {
	return []codeRule{
		// OpenAI's picture makers; their other faults were known by their words
		{"making-code", None, "image_generation", []string{"image_generation_user_error", "moderation_blocked", "image_generation_error"}},
		// OpenAI Responses; given for refused picture making too
		{"policy-code", Suspect, "policy", []string{"image_content_policy_violation"}},
		{"download-code", Suspect, "fetch_failed_unspecified", []string{"failed_to_download_image"}},
		{"parse-code", Permanent, "decode_failed", []string{"invalid_image", "image_parse_error", "invalid_image_mode", "invalid_image_data"}},
		// OpenAI, Kiro
		{"format-code", Permanent, "unsupported_format", []string{
			"invalid_image_format", "unsupported_image_media_type", "image_format_unsupported",
			"unsupported_file_mimetype", "unsupported_image_format"}},
		{"base64-code", Permanent, "invalid_base64", []string{"invalid_base64_image", "invalid_base64"}},
		{"size-code", Permanent, "too_large", []string{"image_too_large", "image_file_too_large"}},
		{"small-code", Permanent, "dimensions", []string{"image_too_small"}},
		{"empty-code", Permanent, "empty_image", []string{"empty_image_file"}},
		{"file-code", Permanent, "file_not_found", []string{"image_file_not_found"}},
		// Mistral
		{"pages-code", Permanent, "too_many_pages", []string{"3730", "document_parser_too_many_pages"}},
		// OpenAI, llama.cpp, LiteLLM, Bedrock
		{"context-code", None, "context_length", []string{"context_length_exceeded", "exceed_context_size_error"}},
		{"rate-code", None, "rate_limit", []string{"rate_limit_exceeded", "rate_limit_error", "resource_exhausted", "throttlingexception"}},
		{"overload-code", None, "overloaded", []string{"overloaded_error", "unavailable", "service_unavailable", "serviceunavailableexception"}},
		{"size-413-code", None, "request_too_large", []string{"request_too_large"}},
		{"timeout-code", None, "timeout", []string{"timeout_error", "vector_store_timeout", "deadline_exceeded", "connection_timeout", "modeltimeoutexception"}},
		{"prompt-code", None, "policy", []string{"content_policy_violation", "content_filter", "invalid_prompt"}},
		{"model-code", None, "model_not_found", []string{"model_not_found", "deploymentnotfound", "model_not_supported"}},
		{"auth-code", None, "missing_header", []string{
			"authentication_error", "permission_error", "permission_denied", "unauthenticated", "invalid_api_key"}},
		{"billing-code", None, "billing", []string{"billing_error", "insufficient_quota"}},
	}
}

// ambiguous messages say that something is wrong and not what. They go last.
func ambiguous() []rule {
	return []rule{
		// Gemini
		suspect("invalid-argument", "opaque", `^request contains an invalid argument`),
		// Bedrock's Llama
		suspect("validation-error", "opaque", `^validation error\.?$`),
		// DashScope's text models, llama.cpp: a kind of part that is not named
		suspect("part-riddle", "opaque",
			`(?:unsupported|unexpected|unknown|invalid) (?:item |part )?type in content\b|unsupported content\[\]\.type`),
		// llama.cpp: markers and images do not line up, or another fault
		suspect("tokenize", "opaque", `failed to tokenize prompt`),
		// Everyone: nothing shows what it was, and most of them pass
		none("server", "opaque", `^(?:internal (?:server )?error|the server had an error processing your request)\b`),
		none("server-sorry", "server_error", `server (?:had|encountered) an (?:unexpected )?(?:internal )?error`),
	}
}

// overriding are codes that turn a plain wording into an ambiguous one.
func overriding() []codeRule {
	return []codeRule{
		// OpenAI: the client's words, the server's code; seen at random
		{"sanitizer-code", Suspect, "opaque", []string{"sanitizer_server_error"}},
		// OpenAI: refused prompts; "Invalid image file or mode" has another code
		{"moderation-code", None, "image_generation", []string{"moderation_blocked"}},
	}
}

// opaqueCodes are those of relays that hide the cause.
func opaqueCodes() []codeRule {
	return []codeRule{
		// new-api
		{"convert-code", Suspect, "opaque", []string{"convert_request_failed"}},
	}
}

// A paramRule knows which field an unknown wording is about.
type paramRule struct {
	name   string
	reason string
	codes  []string
	param  *regexp.Regexp
}

func params() []paramRule {
	value := []string{"invalid_value", "invalid_type", "invalid_image_url"}
	return []paramRule{
		// OpenAI: 'm4a' for wav or mp3
		{"audio-format-param", "unsupported_format", value, compile(`\.input_audio\.format$`)},
		// OpenAI; Codex relies on it
		{"image-param", "decode_failed", value, compile(`\.(?:image_url(?:\.url)?|file_data|input_audio\.data)$`)},
	}
}

func (r paramRule) decision() decision { return decision{Permanent, r.reason, r.name} }

func firstParam(rules []paramRule, s subject) (paramRule, bool) {
	for _, r := range rules {
		if r.param.MatchString(s.param) && slices.ContainsFunc(s.codes, func(c string) bool { return slices.Contains(r.codes, c) }) {
			return r, true
		}
	}
	return paramRule{}, false
}

// A statusRule knows nothing but the status: the last resort, and never a
// reason to blame an image.
type statusRule struct {
	name   string
	reason string
	low    int
	high   int
}

func statusRules() []statusRule {
	return []statusRule{
		{"status-402", "billing", 402, 402},
		{"status-auth", "missing_header", 401, 403},
		{"status-404", "model_not_found", 404, 404},
		{"status-408", "timeout", 408, 408},
		{"status-413", "request_too_large", 413, 413},
		{"status-429", "rate_limit", 429, 429},
		{"status-4xx", "schema", 400, 499},
		{"status-overload", "overloaded", 503, 503},
		{"status-529", "overloaded", 529, 529},
		{"status-504", "gateway_timeout", 504, 504},
		{"status-edge", "gateway_timeout", 522, 524},
		{"status-5xx", "server_error", 0, 599},
	}
}
