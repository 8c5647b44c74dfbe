package failure

import (
	"strings"
	"testing"
)

// coded are errors whose words say nothing.
var coded = []struct {
	rule, body string
	verdict    Verdict
	reason     string
}{
	{"making-code", `{"error":{"message":"No.","type":"image_generation_user_error","code":null}}`, None, "image_generation"},
	{"moderation-code", `{"error":{"message":"Your input image may contain content that is not allowed by our safety system.","code":"moderation_blocked"}}`, None, "image_generation"},
	{"policy-code", `{"error":{"message":"No.","code":"image_content_policy_violation"}}`, Suspect, "policy"},
	{"download-code", `{"error":{"message":"No.","code":"failed_to_download_image"}}`, Suspect, "fetch_failed_unspecified"},
	{"parse-code", `{"error":{"message":"No.","code":"image_parse_error"}}`, Permanent, "decode_failed"},
	{"parse-code", `{"error":{"message":"No.","code":"invalid_image_mode"}}`, Permanent, "decode_failed"},
	{"format-code", `{"message":"No.","reason":"IMAGE_FORMAT_UNSUPPORTED"}`, Permanent, "unsupported_format"},
	{"base64-code", `{"error":{"message":"No.","code":"invalid_base64_image"}}`, Permanent, "invalid_base64"},
	{"size-code", `{"error":{"message":"No.","code":"image_too_large"}}`, Permanent, "too_large"},
	{"small-code", `{"error":{"message":"No.","code":"image_too_small"}}`, Permanent, "dimensions"},
	{"empty-code", `{"error":{"message":"No.","code":"empty_image_file"}}`, Permanent, "empty_image"},
	{"file-code", `{"error":{"message":"No.","code":"image_file_not_found"}}`, Permanent, "file_not_found"},
	{"pages-code", `{"object":"error","message":"No.","type":"x","code":"3730"}`, Permanent, "too_many_pages"},
	{"context-code", `{"error":{"message":"No.","code":"context_length_exceeded"}}`, None, "context_length"},
	{"rate-code", `{"error":{"message":"No.","code":"rate_limit_exceeded"}}`, None, "rate_limit"},
	{"overload-code", `{"error":{"message":"No.","status":"UNAVAILABLE"}}`, None, "overloaded"},
	{"size-413-code", `{"error":{"message":"No.","code":"request_too_large"}}`, None, "request_too_large"},
	{"timeout-code", `{"error":{"message":"No.","code":"vector_store_timeout"}}`, None, "timeout"},
	{"prompt-code", `{"error":{"message":"No.","code":"content_filter"}}`, None, "policy"},
	{"model-code", `{"error":{"message":"No.","code":"model_not_supported"}}`, None, "model_not_found"},
	{"auth-code", `{"error":{"message":"No.","type":"permission_error"}}`, None, "missing_header"},
	{"billing-code", `{"error":{"message":"No.","type":"billing_error"}}`, None, "billing"},
	{"sanitizer-code", `{"error":{"message":"You uploaded an unsupported image.","code":"sanitizer_server_error"}}`, Suspect, "opaque"},
	{"convert-code", `{"error":{"message":"No.","code":"convert_request_failed"}}`, Suspect, "opaque"},
	{"audio-format-param", `{"error":{"message":"No.","code":"invalid_value","param":"messages[0].content[1].input_audio.format"}}`, Permanent, "unsupported_format"},
	{"image-param", `{"error":{"message":"No.","code":"invalid_value","param":"input[3].content[1].image_url"}}`, Permanent, "decode_failed"},
	// codes that several kinds of failure share never decide alone
	{"status-4xx", `{"error":{"message":"No.","code":"invalid_value","param":"input[3].content[1].text"}}`, None, "schema"},
	{"status-4xx", `{"error":{"message":"No.","code":"invalid_value","param":"url"}}`, None, "schema"},
	{"status-4xx", `{"error":{"message":"No.","code":"invalid_image_url"}}`, None, "schema"},
	{"status-4xx", `{"object":"error","message":"No.","type":"invalid_request_file","code":"3310"}`, None, "schema"},
	{"status-4xx", `{"error":{"message":"No.","type":"invalid_request_error","param":"image"}}`, None, "schema"},
}

func TestCodes(t *testing.T) {
	t.Parallel()
	for _, c := range coded {
		j := Judge(Answer{Status: 400, Body: []byte(c.body)})
		if j.Verdict != c.verdict || j.Reason != c.reason || j.Rule != c.rule {
			t.Errorf("%s: %s %s by %s, want %s %s by %s", c.body, j.Verdict, j.Reason, j.Rule, c.verdict, c.reason, c.rule)
		}
	}
}

// statusOnly are answers with a status and nothing else to go by.
var statusOnly = []struct {
	rule   string
	status int
	reason string
}{
	{"status-4xx", 400, "schema"}, {"status-auth", 401, "missing_header"}, {"status-402", 402, "billing"},
	{"status-auth", 403, "missing_header"}, {"status-404", 404, "model_not_found"}, {"status-408", 408, "timeout"},
	{"status-413", 413, "request_too_large"}, {"status-4xx", 415, "schema"}, {"status-4xx", 422, "schema"},
	{"status-429", 429, "rate_limit"}, {"status-5xx", 500, "server_error"}, {"status-5xx", 502, "server_error"},
	{"status-overload", 503, "overloaded"}, {"status-504", 504, "gateway_timeout"}, {"status-edge", 522, "gateway_timeout"},
	{"status-529", 529, "overloaded"}, {"unknown", 999, "schema"},
}

func TestStatusOnly(t *testing.T) {
	t.Parallel()
	for _, c := range statusOnly {
		for _, body := range []string{"", " \n", "nothing to see", `{"error":{"message":""}}`, `{"error":null}`, "{", "[]", `"x"`, "\x00\xff"} {
			j := Judge(Answer{Status: c.status, Body: []byte(body)})
			if j.Verdict != None || j.Reason != c.reason || j.Rule != c.rule {
				t.Errorf("%d %q: %s %s by %s, want none %s by %s", c.status, body, j.Verdict, j.Reason, j.Rule, c.reason, c.rule)
			}
		}
	}
}

// A doubt is dropped when the status asks for patience; a certainty is not.
func TestPassingStatus(t *testing.T) {
	t.Parallel()
	for message, patient := range map[string]Verdict{"Failed to download image.": None, "cannot identify image file": Permanent} {
		for status, want := range map[int]Verdict{400: Suspect, 424: Suspect, 500: Suspect, 408: None, 429: None, 502: None, 503: None, 529: None} {
			if patient == Permanent {
				want = Permanent
			}
			j := Judge(Answer{Status: status, Body: []byte(`{"error":` + quoteJSON(message) + `}`)})
			if j.Verdict != want {
				t.Errorf("%d %s: %s by %s, want %s", status, message, j.Verdict, j.Rule, want)
			}
		}
	}
}

// A web page comes from something that saw no image.
func TestPages(t *testing.T) {
	t.Parallel()
	page := "<!DOCTYPE html>\n<html><head><title>image</title></head><body>Could not process image; invalid image" + strings.Repeat(" ", 300) + "</body></html>"
	for status, want := range map[int]string{400: "gateway_html", 403: "gateway_html", 413: "request_too_large", 429: "rate_limit", 500: "gateway_html", 502: "gateway_html", 504: "gateway_timeout", 524: "gateway_timeout"} {
		for _, contentType := range []string{"text/html", "application/json", ""} {
			if j := Judge(Answer{Status: status, ContentType: contentType, Body: []byte(page)}); j.Verdict != None || j.Reason != want {
				t.Errorf("%d: %s %s, want none %s", status, j.Verdict, j.Reason, want)
			}
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]Group{
		"decode_failed": GroupImage, "policy": GroupImage, "fetch_throttled": GroupURL, "too_many_media": GroupPayload,
		"unsupported_by_model": GroupRoute, "opaque": GroupSuspect, "oom": GroupTransient, "rate_limit": GroupRateLimit,
		"schema": GroupNotMedia, "": GroupNotMedia, "whatever": GroupNotMedia,
	} {
		if got := GroupOf(reason); got != want {
			t.Errorf("GroupOf(%q) = %s, want %s", reason, got, want)
		}
	}
	for reason, want := range map[string]bool{"dimensions_many_image": true, "too_many_media": true, "media_block_schema": true, "dimensions": false, "": false} {
		if WholePayload(reason) != want {
			t.Errorf("WholePayload(%q) is not %v", reason, want)
		}
	}
}
