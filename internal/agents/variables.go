package agents

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"imagebreaker/internal/config"
	"imagebreaker/internal/proxy"
)

// variable is an environment variable by which clients find an API.
type variable struct {
	name     string
	provider string
	version  string // the part of the path that clients expect in it
}

// apiVersion is the part of the path that some clients want in a base URL and
// others add themselves.
const apiVersion = "/v1"

// variables are what the known agents and SDKs read. Of several for one provider
// the first that is set tells the upstream.
var variables = []variable{
	{"ANTHROPIC_BASE_URL", "anthropic", ""},     // Claude Code, Anthropic's SDKs, Qwen Code, opencode
	{"ANTHROPIC_API_BASE", "anthropic", ""},     // LiteLLM, and so aider
	{"ANTHROPIC_HOST", "anthropic", ""},         // Goose
	{"ANTHROPIC_API_ENDPOINT", "anthropic", ""}, // Crush
	{"OPENAI_BASE_URL", "openai", apiVersion},   // OpenAI's SDKs, Qwen Code, opencode, Goose, LiteLLM
	{"OPENAI_API_BASE", "openai", apiVersion},   // LiteLLM, aider
	{"AIDER_OPENAI_API_BASE", "openai", apiVersion},
	{"OPENAI_API_ENDPOINT", "openai", apiVersion}, // Crush
	{"OPENAI_HOST", "openai", ""},                 // Goose, which adds /v1 itself
	{"GOOGLE_GEMINI_BASE_URL", "gemini", ""},      // Gemini CLI, Google's SDKs, Qwen Code, Continue
	{"GOOGLE_HOST", "gemini", ""},                 // Goose
	{"GEMINI_API_ENDPOINT", "gemini", ""},         // Crush
	{"OLLAMA_HOST", "ollama", ""},                 // Ollama, its Python library, Goose
	{"OLLAMA_API_BASE", "ollama", ""},             // LiteLLM, aider
	{"ANTHROPIC_BEDROCK_BASE_URL", "bedrock", ""},
	{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "bedrock", ""}, // Amazon's SDKs: pi, Goose
	{"ANTHROPIC_VERTEX_BASE_URL", "vertex", apiVersion},
	{"GOOGLE_VERTEX_BASE_URL", "vertex", ""}, // Google's SDKs: Gemini CLI, pi
}

// split cuts a value into the upstream and the part that the client's requests
// do not repeat.
func (v variable) split(value string) (base, version string) {
	base = strings.TrimRight(value, "/")
	if v.provider == "ollama" {
		return ollamaHost(value).String(), ""
	}
	if rest, ok := strings.CutSuffix(base, apiVersion); ok && v.provider != "gemini" {
		return rest, apiVersion
	}
	return base, ""
}

// Upstreams are where the child's requests would go without the proxy, as far as
// its environment tells, to those providers that are wanted.
func (c Child) Upstreams(wanted func(provider string) bool) (proxy.Upstreams, error) {
	out := proxy.Upstreams{}
	for _, v := range variables {
		value := c.Getenv(v.name)
		if value == "" || out[v.provider] != nil || !wanted(v.provider) {
			continue
		}
		base, _ := v.split(value)
		parsed, err := proxy.ParseUpstreams(base)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", v.name, config.Redact(value), err)
		}
		out[v.provider] = parsed[v.provider]
	}
	if own := vertexAddress(c.Getenv); own != nil && out["vertex"] == nil && wanted("vertex") {
		out["vertex"] = own
	}
	return out, nil
}

// first is the variable that tells a provider's upstream. Zero: none is set.
func (c Child) first(provider string) variable {
	for _, v := range variables {
		if v.provider == provider && c.Getenv(v.name) != "" {
			return v
		}
	}
	return variable{}
}

// environ are the variables that point the child's clients to the proxy.
func (c Child) environ(address func(provider string) (*url.URL, error)) ([]string, error) {
	var out []string
	for _, v := range variables {
		version, ok := c.versionIn(v)
		if !ok || !c.passes(v.provider) {
			continue
		}
		base, err := address(v.provider)
		if err != nil {
			return nil, err
		}
		out = append(out, v.name+"="+base.String()+version)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		out = append(out, name+"="+strings.Trim(c.Getenv(name)+",127.0.0.1,localhost", ","))
	}
	return out, nil
}

// versionIn is what the variable has after the proxy's address: what it had
// before or, where it was not set, what the child expects. An API that has no
// version in its path has none in the other variables either; then there is no
// value for one whose clients add the version themselves.
func (c Child) versionIn(v variable) (version string, ok bool) {
	if value := c.Getenv(v.name); value != "" {
		_, version = v.split(value)
		return version, true
	}
	if first := c.first(v.provider); first.version != "" {
		if _, had := first.split(c.Getenv(first.name)); had == "" {
			return "", v.version != ""
		}
	}
	if slices.Contains(named(c.name()).versioned, v.name) {
		return apiVersion, true
	}
	return v.version, true
}

// passes tells whether the child's requests to a provider can go through the
// proxy.
func (c Child) passes(provider string) bool {
	switch provider {
	case "ollama":
		return !c.servesOllama()
	case "bedrock": // other requests are signed, the address too
		return c.Getenv("AWS_BEARER_TOKEN_BEDROCK") != "" || isOn(c.Getenv("CLAUDE_CODE_SKIP_BEDROCK_AUTH"))
	case "vertex":
		return vertexRegion(c.Getenv) != "" || isOn(c.Getenv("GOOGLE_GENAI_USE_VERTEXAI")) || c.first("vertex").name != ""
	}
	return true
}
