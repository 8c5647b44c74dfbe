package upstream_test

import (
	"net/http"
	"testing"

	"imagebreaker/internal/protocol"
	"imagebreaker/internal/upstream"
)

func TestUpstreamOfARequest(t *testing.T) {
	t.Parallel()
	const (
		vertexGemini    = "/v1/projects/p/locations/global/publishers/google/models/gemini-x:generateContent"
		vertexAnthropic = "/v1/projects/p/locations/global/publishers/anthropic/models/claude-x:rawPredict"
	)
	for _, c := range []struct{ setting, method, path, header, value, want string }{
		{"", "POST", "/v1/messages", "", "", "api.anthropic.com"},
		{"", "POST", "/v1/chat/completions", "", "", "api.openai.com"},
		{"", "POST", "/v1/responses", "X-Api-Key", "k", "api.openai.com"},
		{"", "POST", "/v1beta/models/gemini-x:generateContent", "", "", "generativelanguage.googleapis.com"},
		{"", "POST", vertexGemini, "Authorization", "Bearer k", "aiplatform.googleapis.com"},
		{"", "POST", vertexAnthropic, "Authorization", "Bearer k", "aiplatform.googleapis.com"},
		{"", "POST", "/api/chat", "", "", "127.0.0.1:11434"},
		{"", "POST", "/api/generate", "", "", "127.0.0.1:11434"},
		{"", "POST", "/generate", "", "", "api.openai.com"},
		{"gemini=http://g", "POST", vertexGemini, "", "", "g"},
		{"anthropic=http://a", "POST", vertexAnthropic, "", "", "a"},
		{"anthropic=http://a", "POST", vertexGemini, "", "", "aiplatform.googleapis.com"},
		{"anthropic=http://a,vertex=http://v", "POST", vertexAnthropic, "", "", "v"},
		{"vertex=http://v", "POST", vertexGemini, "", "", "v"},
		{"ollama=http://o", "POST", "/api/chat", "", "", "o"},
		{"http://one/base", "POST", vertexAnthropic, "", "", "one"},
		{"http://one/base", "POST", "/api/chat", "", "", "one"},
		// What belongs to no API.
		{"", "GET", "/v1/models", "Anthropic-Version", "2023-06-01", "api.anthropic.com"},
		{"", "GET", "/v1/models", "X-Api-Key", "k", "api.anthropic.com"},
		{"", "GET", "/v1/models", "Authorization", "Bearer k", "api.openai.com"},
		{"", "GET", "/v1beta/models", "X-Goog-Api-Key", "k", "generativelanguage.googleapis.com"},
		{"", "GET", "/v1/projects/p/locations/global/cachedContents", "Authorization", "Bearer k", "aiplatform.googleapis.com"},
		{"", "POST", "/guardrail/x/version/1/apply", "Amz-Sdk-Request", "attempt=1; max=3", "bedrock-runtime.us-east-1.amazonaws.com"},
		{"", "GET", "/inference-profiles", "Authorization", "Bearer k", "bedrock-runtime.us-east-1.amazonaws.com"},
		{"", "GET", "/api/tags", "User-Agent", "ollama-python/0.6.1 (x86_64 linux) Python/3.12", "127.0.0.1:11434"},
		{"", "HEAD", "/api/hello", "User-Agent", "Bun/1.4.6", "api.anthropic.com"},
	} {
		ups, err := upstream.Parse(c.setting)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequest(c.method, "http://127.0.0.1"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		api, call, _ := protocol.All().Match(r.Method, r.URL, r.Header)
		if got := ups.For(api, call, r).Host; got != c.want {
			t.Errorf("--upstream %q: %s %s with %s %q goes to %s, want %s", c.setting, c.method, c.path, c.header, c.value, got, c.want)
		}
	}
}

func TestBedrocksRegion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ setting, region, want string }{
		{"", "", "bedrock-runtime.us-east-1.amazonaws.com"},
		{"", "eu-central-1", "bedrock-runtime.eu-central-1.amazonaws.com"},
		{"", "us-gov-west-1", "bedrock-runtime.us-gov-west-1.amazonaws.com"},
		{"", "evil.example/", "bedrock-runtime.us-east-1.amazonaws.com"},
		{"bedrock=http://b", "eu-central-1", "b"},
	} {
		ups, err := upstream.Parse(c.setting)
		if err != nil {
			t.Fatal(err)
		}
		ups.InRegion(c.region)
		if got := ups["bedrock"].Host; got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.setting, c.region, got, c.want)
		}
	}
}
