package protocol

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Of a path the log has the API's own part: gateways have keys and accounts in
// what stands before it.
func TestOwnPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/messages":                                                      "/v1/messages",
		"/sk-live-1/v1/messages/count_tokens":                               "/v1/messages/count_tokens",
		"/v1/chat/completions":                                              "/v1/chat/completions",
		"/api/v1/chat/completions":                                          "/v1/chat/completions",
		"/v1/ACCOUNT/gateway/openai/chat/completions":                       "/chat/completions",
		"/v1-sk-live-1/chat/completions":                                    "/chat/completions",
		"/sk-live-1/responses":                                              "/responses",
		"/sk-live-1/v1/responses/compact":                                   "/v1/responses/compact",
		"/sk-live-1/generate":                                               "/generate",
		"/sk-live-1/api/chat":                                               "/api/chat",
		"/openai/deployments/NAME/chat/completions":                         "/chat/completions",
		"/sk-live-1/v1beta/models/m:generateContent":                        "/v1beta/models/m:generateContent",
		"/v1/projects/P/locations/L/models/m:countTokens":                   "/models/m:countTokens",
		"/v1/projects/P/publishers/anthropic/models/m:rawPredict":           "/publishers/anthropic/models/m:rawPredict",
		"/v1beta/models/" + strings.Repeat("x/", 500) + "m:generateContent": "",
	} {
		r := &http.Request{Method: http.MethodPost, URL: &url.URL{Path: path}}
		api, _, ok := All().Match(r.Method, r.URL, nil)
		if !ok {
			t.Fatalf("%s belongs to no API", path)
		}
		if got := OwnPath(api, r); got != want {
			t.Errorf("%.100s: logged as %q, want %q", path, got, want)
		}
	}
}
