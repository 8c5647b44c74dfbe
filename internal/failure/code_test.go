package failure

import (
	"strings"
	"testing"

	"imagebreaker/internal/record"
)

// coded are errors whose words say nothing.
var coded = []struct {
	rule, body string
	verdict    record.Verdict
	reason     record.Reason
}{
	{"making-code", `{"error":{"message":"No.","type":"image_generation_user_error","code":null}}`, record.None, "image_generation"},
	{"moderation-code", `{"error":{"message":"Your input image may contain content that is not allowed by our safety system.","code":"moderation_blocked"}}`, record.None, "image_generation"},
	{"policy-code", `{"error":{"message":"No.","code":"image_content_policy_violation"}}`, record.Suspect, "policy"},
	{"download-code", `{"error":{"message":"No.","code":"failed_to_download_image"}}`, record.Suspect, "fetch_failed_unspecified"},
	{"parse-code", `{"error":{"message":"No.","code":"image_parse_error"}}`, record.Permanent, "decode_failed"},
	{"parse-code", `{"error":{"message":"No.","code":"invalid_image_mode"}}`, record.Permanent, "decode_failed"},
	{"format-code", `{"message":"No.","reason":"IMAGE_FORMAT_UNSUPPORTED"}`, record.Permanent, "unsupported_format"},
	{"base64-code", `{"error":{"message":"No.","code":"invalid_base64_image"}}`, record.Permanent, "invalid_base64"},
	{"size-code", `{"error":{"message":"No.","code":"image_too_large"}}`, record.Permanent, "too_large"},
	{"small-code", `{"error":{"message":"No.","code":"image_too_small"}}`, record.Permanent, "dimensions"},
	{"empty-code", `{"error":{"message":"No.","code":"empty_image_file"}}`, record.Permanent, "empty_image"},
	{"file-code", `{"error":{"message":"No.","code":"image_file_not_found"}}`, record.Permanent, "file_not_found"},
	{"pages-code", `{"object":"error","message":"No.","type":"x","code":"3730"}`, record.Permanent, "too_many_pages"},
	{"context-code", `{"error":{"message":"No.","code":"context_length_exceeded"}}`, record.None, "context_length"},
	{"rate-code", `{"error":{"message":"No.","code":"rate_limit_exceeded"}}`, record.None, "rate_limit"},
	{"overload-code", `{"error":{"message":"No.","status":"UNAVAILABLE"}}`, record.None, "overloaded"},
	{"size-413-code", `{"error":{"message":"No.","code":"request_too_large"}}`, record.None, "request_too_large"},
	{"timeout-code", `{"error":{"message":"No.","code":"vector_store_timeout"}}`, record.None, "timeout"},
	{"prompt-code", `{"error":{"message":"No.","code":"content_filter"}}`, record.None, "policy"},
	{"model-code", `{"error":{"message":"No.","code":"model_not_supported"}}`, record.None, "model_not_found"},
	{"auth-code", `{"error":{"message":"No.","type":"permission_error"}}`, record.None, "missing_header"},
	{"billing-code", `{"error":{"message":"No.","type":"billing_error"}}`, record.None, "billing"},
	{"sanitizer-code", `{"error":{"message":"You uploaded an unsupported image.","code":"sanitizer_server_error"}}`, record.Suspect, "opaque"},
	{"convert-code", `{"error":{"message":"No.","code":"convert_request_failed"}}`, record.Suspect, "opaque"},
	{"audio-format-param", `{"error":{"message":"No.","code":"invalid_value","param":"messages[0].content[1].input_audio.format"}}`, record.Permanent, "unsupported_format"},
	{"image-param", `{"error":{"message":"No.","code":"invalid_value","param":"input[3].content[1].image_url"}}`, record.Permanent, "decode_failed"},
	// codes that several kinds of failure share never decide alone
	{"status-4xx", `{"error":{"message":"No.","code":"invalid_value","param":"input[3].content[1].text"}}`, record.None, "schema"},
	{"status-4xx", `{"error":{"message":"No.","code":"invalid_value","param":"url"}}`, record.None, "schema"},
	{"status-4xx", `{"error":{"message":"No.","code":"invalid_image_url"}}`, record.None, "schema"},
	{"status-4xx", `{"object":"error","message":"No.","type":"invalid_request_file","code":"3310"}`, record.None, "schema"},
	{"status-4xx", `{"error":{"message":"No.","type":"invalid_request_error","param":"image"}}`, record.None, "schema"},
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
	reason record.Reason
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
			if j.Verdict != record.None || j.Reason != c.reason || j.Rule != c.rule {
				t.Errorf("%d %q: %s %s by %s, want none %s by %s", c.status, body, j.Verdict, j.Reason, j.Rule, c.reason, c.rule)
			}
		}
	}
}

// A doubt is dropped when the status asks for patience; a certainty is not.
func TestPassingStatus(t *testing.T) {
	t.Parallel()
	for message, patient := range map[string]record.Verdict{"Failed to download image.": record.None, "cannot identify image file": record.Permanent} {
		for status, want := range map[int]record.Verdict{400: record.Suspect, 424: record.Suspect, 500: record.Suspect, 408: record.None, 429: record.None, 502: record.None, 503: record.None, 529: record.None} {
			if patient == record.Permanent {
				want = record.Permanent
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
	for status, want := range map[int]record.Reason{400: "gateway_html", 403: "gateway_html", 413: "request_too_large", 429: "rate_limit", 500: "gateway_html", 502: "gateway_html", 504: "gateway_timeout", 524: "gateway_timeout"} {
		for _, contentType := range []string{"text/html", "application/json", ""} {
			if j := Judge(Answer{Status: status, ContentType: contentType, Body: []byte(page)}); j.Verdict != record.None || j.Reason != want {
				t.Errorf("%d: %s %s, want none %s", status, j.Verdict, j.Reason, want)
			}
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for reason, want := range map[record.Reason]record.Group{
		"decode_failed": record.GroupImage, "policy": record.GroupImage, "fetch_throttled": record.GroupURL, "too_many_media": record.GroupPayload,
		"unsupported_by_model": record.GroupRoute, "opaque": record.GroupSuspect, "oom": record.GroupTransient, "rate_limit": record.GroupRateLimit,
		"schema": record.GroupNotMedia, "": record.GroupNotMedia, "whatever": record.GroupNotMedia,
	} {
		if got := reason.Group(); got != want {
			t.Errorf("%q.Group() = %s, want %s", reason, got, want)
		}
	}
	for reason, want := range map[record.Reason]bool{"dimensions_many_image": true, "too_many_media": true, "media_block_schema": true, "dimensions": false, "": false} {
		if reason.WholePayload() != want {
			t.Errorf("WholePayload(%q) is not %v", reason, want)
		}
	}
}
