package failure

import (
	"regexp"
	"slices"

	"imagebreaker/internal/record"
)

// codes are decided by when no wording was known. Codes that several kinds of
// failure share (invalid_image_url, 3310, invalid_value) are not here.
func codes() []codeRule {
	return []codeRule{
		// OpenAI's picture makers; their other faults were known by their words
		{"making-code", record.None, record.ImageGeneration, []string{"image_generation_user_error", "moderation_blocked", "image_generation_error"}},
		// OpenAI Responses; given for refused picture making too
		{"policy-code", record.Suspect, record.Policy, []string{"image_content_policy_violation"}},
		{"download-code", record.Suspect, record.FetchFailedUnspecified, []string{"failed_to_download_image"}},
		{"parse-code", record.Permanent, record.DecodeFailed, []string{"invalid_image", "image_parse_error", "invalid_image_mode", "invalid_image_data"}},
		// OpenAI, Kiro
		{"format-code", record.Permanent, record.UnsupportedFormat, []string{
			"invalid_image_format", "unsupported_image_media_type", "image_format_unsupported",
			"unsupported_file_mimetype", "unsupported_image_format"}},
		{"base64-code", record.Permanent, record.InvalidBase64, []string{"invalid_base64_image", "invalid_base64"}},
		{"size-code", record.Permanent, record.TooLarge, []string{"image_too_large", "image_file_too_large"}},
		{"small-code", record.Permanent, record.Dimensions, []string{"image_too_small"}},
		{"empty-code", record.Permanent, record.EmptyImage, []string{"empty_image_file"}},
		{"file-code", record.Permanent, record.FileNotFound, []string{"image_file_not_found"}},
		// Mistral
		{"pages-code", record.Permanent, record.TooManyPages, []string{"3730", "document_parser_too_many_pages"}},
		// OpenAI, llama.cpp, LiteLLM, Bedrock
		{"context-code", record.None, record.ContextLength, []string{"context_length_exceeded", "exceed_context_size_error"}},
		{"rate-code", record.None, record.RateLimit, []string{"rate_limit_exceeded", "rate_limit_error", "resource_exhausted", "throttlingexception"}},
		{"overload-code", record.None, record.Overloaded, []string{"overloaded_error", "unavailable", "service_unavailable", "serviceunavailableexception"}},
		{"size-413-code", record.None, record.RequestTooLarge, []string{"request_too_large"}},
		{"timeout-code", record.None, record.Timeout, []string{"timeout_error", "vector_store_timeout", "deadline_exceeded", "connection_timeout", "modeltimeoutexception"}},
		{"prompt-code", record.None, record.Policy, []string{"content_policy_violation", "content_filter", "invalid_prompt"}},
		{"model-code", record.None, record.ModelNotFound, []string{"model_not_found", "deploymentnotfound", "model_not_supported"}},
		{"auth-code", record.None, record.MissingHeader, []string{
			"authentication_error", "permission_error", "permission_denied", "unauthenticated", "invalid_api_key"}},
		{"billing-code", record.None, record.Billing, []string{"billing_error", "insufficient_quota"}},
	}
}

// ambiguous messages say that something is wrong and not what. They go last.
func ambiguous() []rule {
	return []rule{
		// Gemini
		suspect("invalid-argument", record.Opaque, `^request contains an invalid argument`),
		// Bedrock's Llama
		suspect("validation-error", record.Opaque, `^validation error\.?$`),
		// DashScope's text models, llama.cpp: a kind of part that is not named
		suspect("part-riddle", record.Opaque,
			`(?:unsupported|unexpected|unknown|invalid) (?:item |part )?type in content\b|unsupported content\[\]\.type`),
		// llama.cpp: markers and images do not line up, or another fault
		suspect("tokenize", record.Opaque, `failed to tokenize prompt`),
		// Everyone: nothing shows what it was, and most of them pass
		none("server", record.Opaque, `^(?:internal (?:server )?error|the server had an error processing your request)\b`),
		none("server-sorry", record.ServerError, `server (?:had|encountered) an (?:unexpected )?(?:internal )?error`),
	}
}

// overriding are codes that turn a plain wording into an ambiguous one.
func overriding() []codeRule {
	return []codeRule{
		// OpenAI: the client's words, the server's code; seen at random
		{"sanitizer-code", record.Suspect, record.Opaque, []string{"sanitizer_server_error"}},
		// OpenAI: refused prompts; "Invalid image file or mode" has another code
		{"moderation-code", record.None, record.ImageGeneration, []string{"moderation_blocked"}},
	}
}

// opaqueCodes are those of relays that hide the cause.
func opaqueCodes() []codeRule {
	return []codeRule{
		// new-api
		{"convert-code", record.Suspect, record.Opaque, []string{"convert_request_failed"}},
	}
}

// A paramRule knows which field an unknown wording is about.
type paramRule struct {
	name   string
	reason record.Reason
	codes  []string
	param  *regexp.Regexp
}

func params() []paramRule {
	value := []string{"invalid_value", "invalid_type", "invalid_image_url"}
	return []paramRule{
		// OpenAI: 'm4a' for wav or mp3
		{"audio-format-param", record.UnsupportedFormat, value, compile(`\.input_audio\.format$`)},
		// OpenAI; Codex relies on it
		{"image-param", record.DecodeFailed, value, compile(`\.(?:image_url(?:\.url)?|file_data|input_audio\.data)$`)},
	}
}

func (r paramRule) decision() decision { return decision{record.Permanent, r.reason, r.name} }

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
	reason record.Reason
	low    int
	high   int
}

func statusRules() []statusRule {
	return []statusRule{
		{"status-402", record.Billing, 402, 402},
		{"status-auth", record.MissingHeader, 401, 403},
		{"status-404", record.ModelNotFound, 404, 404},
		{"status-408", record.Timeout, 408, 408},
		{"status-413", record.RequestTooLarge, 413, 413},
		{"status-429", record.RateLimit, 429, 429},
		{"status-4xx", record.Schema, 400, 499},
		{"status-overload", record.Overloaded, 503, 503},
		{"status-529", record.Overloaded, 529, 529},
		{"status-504", record.GatewayTimeout, 504, 504},
		{"status-edge", record.GatewayTimeout, 522, 524},
		{"status-5xx", record.ServerError, 0, 599},
	}
}
