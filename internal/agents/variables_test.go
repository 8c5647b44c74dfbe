package agents

import (
	"maps"
	"net/url"
	"strings"
	"testing"

	"imagebreaker/internal/config"
	"imagebreaker/internal/upstream"
)

func getter(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

const self = "http://127.0.0.1:9"

// atSelf is a proxy's address that is the same for all providers.
func atSelf(string) (*url.URL, error) { return url.Parse(self) }

// environOf is what a child gets, by name.
func environOf(t *testing.T, getenv func(string) string, words ...string) map[string]string {
	t.Helper()
	vars, err := Child{Words: words, Getenv: getenv}.environ(atSelf)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		out[name] = value
	}
	return out
}

// upstreamsOf are where requests go, by default or by the environment.
func upstreamsOf(t *testing.T, getenv func(string) string) upstream.Set {
	t.Helper()
	c, err := config.Load(nil, getenv)
	if err != nil {
		t.Fatal(err)
	}
	own, err := Child{Getenv: getenv}.Upstreams(c.LeavesOpen)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(c.Proxy.Upstreams, own)
	return c.Proxy.Upstreams
}

// A base URL that was set before becomes the upstream, and the child's paths
// arrive there as they would have.
func TestBaseURLsBecomeUpstreams(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, value     string
		provider        string
		upstream, child string
	}{
		{"ANTHROPIC_BASE_URL", "", "anthropic", "https://api.anthropic.com", self},
		{"ANTHROPIC_BASE_URL", "https://gate.example.test/anthropic/", "anthropic", "https://gate.example.test/anthropic", self},
		{"ANTHROPIC_BASE_URL", "https://gate.example.test/v1", "anthropic", "https://gate.example.test", self + "/v1"},
		{"ANTHROPIC_API_BASE", "http://127.0.0.1:4000", "anthropic", "http://127.0.0.1:4000", self},
		{"ANTHROPIC_HOST", "http://127.0.0.1:4000", "anthropic", "http://127.0.0.1:4000", self},
		{"ANTHROPIC_API_ENDPOINT", "http://127.0.0.1:4000", "anthropic", "http://127.0.0.1:4000", self},
		{"OPENAI_BASE_URL", "", "openai", "https://api.openai.com", self + "/v1"},
		{"OPENAI_BASE_URL", "https://openrouter.ai/api/v1", "openai", "https://openrouter.ai/api", self + "/v1"},
		{"OPENAI_BASE_URL", "https://openrouter.ai/api/v1/", "openai", "https://openrouter.ai/api", self + "/v1"},
		{"OPENAI_BASE_URL", "http://127.0.0.1:8000/openai", "openai", "http://127.0.0.1:8000/openai", self},
		{"OPENAI_API_BASE", "http://127.0.0.1:8000/v1", "openai", "http://127.0.0.1:8000", self + "/v1"},
		{"AIDER_OPENAI_API_BASE", "http://127.0.0.1:8000/v1", "openai", "http://127.0.0.1:8000", self + "/v1"},
		{"OPENAI_API_ENDPOINT", "http://127.0.0.1:8000/v1", "openai", "http://127.0.0.1:8000", self + "/v1"},
		{"OPENAI_HOST", "http://127.0.0.1:8000", "openai", "http://127.0.0.1:8000", self},
		{"GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:8000", "gemini", "http://127.0.0.1:8000", self},
		{"GOOGLE_HOST", "http://127.0.0.1:8000", "gemini", "http://127.0.0.1:8000", self},
		{"GEMINI_API_ENDPOINT", "http://127.0.0.1:8000", "gemini", "http://127.0.0.1:8000", self},
		{"OLLAMA_HOST", "", "ollama", "http://127.0.0.1:11434", self},
		{"OLLAMA_HOST", "0.0.0.0", "ollama", "http://127.0.0.1:11434", self},
		{"OLLAMA_API_BASE", "http://10.0.0.7:11434", "ollama", "http://10.0.0.7:11434", self},
		{"ANTHROPIC_VERTEX_BASE_URL", "http://127.0.0.1:8000/v1", "vertex", "http://127.0.0.1:8000", self + "/v1"},
		{"GOOGLE_VERTEX_BASE_URL", "http://127.0.0.1:8000", "vertex", "http://127.0.0.1:8000", self},
	}
	for _, c := range cases {
		getenv := getter(c.name, c.value, "HOME", "/home/x")
		if got := upstreamsOf(t, getenv)[c.provider].String(); got != c.upstream {
			t.Errorf("%s=%s: upstream %s, want %s", c.name, c.value, got, c.upstream)
		}
		if got := environOf(t, getenv, "agent")[c.name]; got != c.child {
			t.Errorf("%s=%s: the child gets %q, want %q", c.name, c.value, got, c.child)
		}
	}
}

// Which of the variables a child gets, and in whose form, depends on it and on
// what else is set.
func TestChildGetsWhatItReads(t *testing.T) {
	t.Parallel()
	const absent = "(not set)"
	bearer := []string{"AWS_BEARER_TOKEN_BEDROCK", "k", "AWS_REGION", "eu-west-1"}
	cases := []struct {
		about string
		child string
		env   []string
		name  string
		want  string
	}{
		{"opencode adds no version", "/usr/bin/opencode", nil, "ANTHROPIC_BASE_URL", self + "/v1"},
		{"Windows' endings", "opencode.cmd", nil, "ANTHROPIC_BASE_URL", self + "/v1"},
		{"what was set keeps its form", "opencode", []string{"ANTHROPIC_BASE_URL", "http://h"}, "ANTHROPIC_BASE_URL", self},
		{"no version: the others have none either", "aider", []string{"OPENAI_BASE_URL", "http://h/openai"}, "OPENAI_API_BASE", self},
		{"no version: not for one that adds it", "goose", []string{"OPENAI_BASE_URL", "http://h/openai"}, "OPENAI_HOST", absent},
		{"a version: it adds it", "goose", []string{"OPENAI_BASE_URL", "http://h/v1"}, "OPENAI_HOST", self},
		{"set without a version: the others have it", "goose", []string{"OPENAI_HOST", "http://h"}, "OPENAI_BASE_URL", self + "/v1"},
		{"a server's listening address is its own", "ollama serve", nil, "OLLAMA_HOST", absent},
		{"a client's is not", "ollama run llava", nil, "OLLAMA_HOST", self},
		{"signed requests are left alone", "claude", []string{"AWS_ACCESS_KEY_ID", "k"}, "ANTHROPIC_BEDROCK_BASE_URL", absent},
		{"with a key they are not signed", "claude", bearer, "ANTHROPIC_BEDROCK_BASE_URL", self},
		{"for Amazon's SDKs too", "pi", bearer, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", self},
		{"a gateway that signs itself", "claude", []string{"CLAUDE_CODE_SKIP_BEDROCK_AUTH", "1"}, "ANTHROPIC_BEDROCK_BASE_URL", self},
		{"nobody asked for Vertex", "claude", nil, "ANTHROPIC_VERTEX_BASE_URL", absent},
		{"Claude Code on Vertex", "claude", []string{"CLAUDE_CODE_USE_VERTEX", "1"}, "ANTHROPIC_VERTEX_BASE_URL", self + "/v1"},
		{"Gemini CLI on Vertex", "gemini", []string{"GOOGLE_GENAI_USE_VERTEXAI", "true"}, "GOOGLE_VERTEX_BASE_URL", self},
	}
	for _, c := range cases {
		getenv := getter(append(c.env, "HOME", "/home/x")...)
		got, ok := environOf(t, getenv, strings.Fields(c.child)...)[c.name]
		if !ok {
			got = absent
		}
		if got != c.want {
			t.Errorf("%s: %s with %v gets %s=%s, want %s", c.about, c.child, c.env, c.name, got, c.want)
		}
	}
}

// The APIs with an address for each region get the one that the client would
// take.
func TestRegionalUpstreams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env      []string
		provider string
		want     string
	}{
		{nil, "bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com"},
		{[]string{"AWS_REGION", "eu-west-1", "AWS_DEFAULT_REGION", "us-west-2"}, "bedrock", "https://bedrock-runtime.eu-west-1.amazonaws.com"},
		{[]string{"AWS_DEFAULT_REGION", "us-west-2"}, "bedrock", "https://bedrock-runtime.us-west-2.amazonaws.com"},
		{[]string{"AWS_REGION", "evil.test/"}, "bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com"},
		{[]string{"AWS_REGION", "eu-west-1", "ANTHROPIC_BEDROCK_BASE_URL", "http://h"}, "bedrock", "http://h"},
		{[]string{"CLAUDE_CODE_USE_VERTEX", "1"}, "vertex", "https://us-east5-aiplatform.googleapis.com"},
		{[]string{"CLAUDE_CODE_USE_VERTEX", "1", "CLOUD_ML_REGION", "global"}, "vertex", "https://aiplatform.googleapis.com"},
		{[]string{"CLAUDE_CODE_USE_VERTEX", "1", "CLOUD_ML_REGION", "eu"}, "vertex", "https://aiplatform.eu.rep.googleapis.com"},
		{[]string{"GOOGLE_CLOUD_LOCATION", "us-central1"}, "vertex", "https://us-central1-aiplatform.googleapis.com"},
		{[]string{"GOOGLE_CLOUD_LOCATION", "us-central1", "GOOGLE_API_KEY", "k"}, "vertex", "https://aiplatform.googleapis.com"},
		{[]string{"GOOGLE_CLOUD_LOCATION", "us-central1", "GOOGLE_CLOUD_API_KEY", "k"}, "vertex", "https://aiplatform.googleapis.com"},
	} {
		if got := upstreamsOf(t, getter(append(c.env, "HOME", "/home/x")...))[c.provider].String(); got != c.want {
			t.Errorf("%v: %s at %s, want %s", c.env, c.provider, got, c.want)
		}
	}
}

// Of several variables of one provider, the first in the table counts.
func TestFirstVariableCounts(t *testing.T) {
	t.Parallel()
	ups := upstreamsOf(t, getter("OPENAI_API_BASE", "http://second/v1", "OPENAI_BASE_URL", "http://first/v1", "HOME", "/home/x"))
	if got := ups["openai"].Host; got != "first" {
		t.Errorf("upstream %s", got)
	}
}

func TestBadBaseURL(t *testing.T) {
	t.Parallel()
	bad := Child{Getenv: getter("OPENAI_BASE_URL", "ftp://user:hunter2@example.test")}
	_, err := bad.Upstreams(func(string) bool { return true })
	if err == nil || !strings.Contains(err.Error(), "OPENAI_BASE_URL") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a base URL that is none: %v", err)
	}
	if ups, err := bad.Upstreams(func(p string) bool { return p != "openai" }); err != nil || len(ups) > 0 {
		t.Errorf("one that is not wanted: %v, %v", ups, err)
	}
}

// The child must not send what is for the proxy to another proxy.
func TestChildGoesToTheProxyDirectly(t *testing.T) {
	t.Parallel()
	env := environOf(t, getter("NO_PROXY", "example.test"), "agent")
	if env["NO_PROXY"] != "example.test,127.0.0.1,localhost" || env["no_proxy"] != "127.0.0.1,localhost" {
		t.Errorf("%v", env)
	}
}
