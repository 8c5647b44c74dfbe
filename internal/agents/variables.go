package agents

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"imagebreaker/internal/config"
	"imagebreaker/internal/upstream"
)

// variable is an environment variable that holds the base URL of an API.
type variable struct {
	name     string
	provider string
	version  string // the end of the path that clients expect in it; may be empty
}

// apiVersion is what some clients expect at the end of a base URL, and others
// append themselves.
const apiVersion = "/v1"

// variables are those that the known agents and SDKs read. If several of a provider
// are set, the first one determines its upstream.
var variables = []variable{
	{"ANTHROPIC_BASE_URL", "anthropic", ""},     // Claude Code, Anthropic's SDKs, Qwen Code, opencode
	{"ANTHROPIC_API_BASE", "anthropic", ""},     // LiteLLM, and so aider
	{"ANTHROPIC_HOST", "anthropic", ""},         // Goose
	{"ANTHROPIC_API_ENDPOINT", "anthropic", ""}, // Crush
	{"OPENAI_BASE_URL", "openai", apiVersion},   // OpenAI's SDKs, Qwen Code, opencode, Goose, LiteLLM
	{"OPENAI_API_BASE", "openai", apiVersion},   // LiteLLM, aider
	{"AIDER_OPENAI_API_BASE", "openai", apiVersion},
	{"OPENAI_API_ENDPOINT", "openai", apiVersion}, // Crush
	{"OPENAI_HOST", "openai", ""},                 // Goose, which appends /v1 itself
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

// split splits a value into the upstream and the version, which the paths of the
// client's requests do not repeat.
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

// Upstreams returns where the child's environment sends requests without the proxy,
// for those providers that are wanted.
func (c Child) Upstreams(wanted func(provider string) bool) (upstream.Set, error) {
	out := upstream.Set{}
	for _, v := range variables {
		value := c.Getenv(v.name)
		if value == "" || out[v.provider] != nil || !wanted(v.provider) {
			continue
		}
		base, _ := v.split(value)
		parsed, err := upstream.Parse(base)
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

// first returns the variable that determines the provider's upstream; the zero
// variable if none is set.
func (c Child) first(provider string) variable {
	for _, v := range variables {
		if v.provider == provider && c.Getenv(v.name) != "" {
			return v
		}
	}
	return variable{}
}

// environ returns the variables that point the child's clients to the proxy.
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

// versionIn returns what follows the proxy's address in the variable: what was there
// before or, if it was not set, what the child expects. If the upstream has no
// version in its path, no variable has one; then a variable whose clients append
// the version cannot be set at all.
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

// passes reports whether the child's requests to the provider can go through the
// proxy.
func (c Child) passes(provider string) bool {
	switch provider {
	case "ollama":
		return !c.servesOllama()
	case "bedrock": // other requests have a signature that covers the address
		return c.Getenv("AWS_BEARER_TOKEN_BEDROCK") != "" || isOn(c.Getenv("CLAUDE_CODE_SKIP_BEDROCK_AUTH"))
	case "vertex":
		return vertexRegion(c.Getenv) != "" || isOn(c.Getenv("GOOGLE_GENAI_USE_VERTEXAI")) || c.first("vertex").name != ""
	}
	return true
}
