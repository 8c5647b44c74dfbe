package cli

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"imagebreaker/internal/config"
	"imagebreaker/internal/proxy"
)

// baseVariable is an environment variable by which clients find an API.
type baseVariable struct {
	name     string
	provider string
	suffix   string // the part of the path that clients expect in it
}

// apiVersion is the part of the path that some clients want in a base URL and
// others add themselves.
const apiVersion = "/v1"

// baseVariables are what the known agents and SDKs read. Of several for one
// provider the first that is set tells the upstream.
var baseVariables = []baseVariable{
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

// expects is the suffix of the variable for a child.
func (v baseVariable) expects(child []string) string {
	if v.name == "ANTHROPIC_BASE_URL" && programName(child) == "opencode" {
		return apiVersion // the AI SDK's form, not that of Anthropic's own
	}
	return v.suffix
}

// split cuts a value into the upstream and the part that the client's requests
// do not repeat.
func (v baseVariable) split(value string) (base, suffix string) {
	base = strings.TrimRight(value, "/")
	if v.provider == "ollama" {
		return ollamaHost(value).String(), ""
	}
	if rest, ok := strings.CutSuffix(base, apiVersion); ok && v.provider != "gemini" {
		return rest, apiVersion
	}
	return base, ""
}

// forChild fits the settings to a child: a free port, and the base URLs that
// were set before become the upstreams of the providers that --upstream leaves.
func forChild(c *config.Config, getenv func(string) string) error {
	if !c.Given("listen") {
		c.Listen = "127.0.0.1:0"
	}
	if config.IsSingle(c.Proxy.Upstreams) {
		return nil // --upstream has one for all
	}
	up := map[string]string{}
	if own := vertexAddress(getenv); own != "" {
		up["vertex"] = own
	}
	for _, v := range slices.Backward(baseVariables) {
		if value := getenv(v.name); value != "" {
			up[v.provider], _ = v.split(value)
		}
	}
	for _, provider := range slices.Sorted(maps.Keys(up)) {
		if !c.LeavesOpen(provider) {
			continue
		}
		base, err := proxy.ParseUpstreams(up[provider])
		if err != nil {
			v := firstSet(provider, getenv)
			return fmt.Errorf("%s %q: %w", v.name, config.Redact(getenv(v.name)), err)
		}
		c.Proxy.Upstreams[provider] = base[provider]
	}
	return nil
}

// firstSet is the variable that tells a provider's upstream.
func firstSet(provider string, getenv func(string) string) baseVariable {
	for _, v := range baseVariables {
		if v.provider == provider && getenv(v.name) != "" {
			return v
		}
	}
	return baseVariable{}
}

// vertexAddress is the clients' own address of Vertex AI, which has one for each
// region. Empty: the one for all. A region that is none gets none.
func vertexAddress(getenv func(string) string) string {
	switch region := vertexRegion(getenv); {
	case region == "global" || !isRegion(region):
		return ""
	case region == "us" || region == "eu":
		return "https://aiplatform." + region + ".rep.googleapis.com"
	default:
		return "https://" + region + "-aiplatform.googleapis.com"
	}
}

// vertexRegion is the region whose address a client of Vertex AI would take.
func vertexRegion(getenv func(string) string) string {
	switch {
	case isOn(getenv("CLAUDE_CODE_USE_VERTEX")):
		return cmp.Or(getenv("CLOUD_ML_REGION"), "us-east5")
	case cmp.Or(getenv("GOOGLE_API_KEY"), getenv("GOOGLE_CLOUD_API_KEY")) != "": // a key belongs to no region; the second is pi's
		return "global"
	}
	return getenv("GOOGLE_CLOUD_LOCATION")
}

func isRegion(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// isOn reads a switch of an agent's.
func isOn(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(value))
}

// passes tells whether the child's requests to a provider can go through the
// proxy.
func passes(provider string, child []string, getenv func(string) string) bool {
	switch provider {
	case "ollama":
		return !servesOllama(child)
	case "bedrock": // other requests are signed, the address too
		return getenv("AWS_BEARER_TOKEN_BEDROCK") != "" || isOn(getenv("CLAUDE_CODE_SKIP_BEDROCK_AUTH"))
	case "vertex":
		return vertexRegion(getenv) != "" || isOn(getenv("GOOGLE_GENAI_USE_VERTEXAI")) || firstSet("vertex", getenv).name != ""
	}
	return true
}

// childEnv points the child's clients to the proxy, at the address that it has
// for the provider.
func childEnv(c config.Config, address func(provider string) (*url.URL, error), child []string, getenv func(string) string) ([]string, error) {
	var out []string
	for _, v := range baseVariables {
		if !passes(v.provider, child, getenv) {
			continue
		}
		suffix, ok := v.childSuffix(child, getenv)
		if !ok {
			continue
		}
		base, err := address(v.provider)
		if err != nil {
			return nil, err
		}
		out = append(out, v.name+"="+base.String()+suffix)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		out = append(out, name+"="+strings.Trim(getenv(name)+",127.0.0.1,localhost", ","))
	}
	return out, nil
}

// childSuffix is what the child's value has after the proxy's address: what it
// had before or, where it was not set, what the child expects. An API that has
// no version in its path has none in the other variables either; then there is
// no value for one whose clients add the version themselves.
func (v baseVariable) childSuffix(child []string, getenv func(string) string) (string, bool) {
	if value := getenv(v.name); value != "" {
		_, suffix := v.split(value)
		return suffix, true
	}
	first := firstSet(v.provider, getenv)
	if first.suffix == "" {
		return v.expects(child), true
	}
	_, had := first.split(getenv(first.name))
	if had == first.suffix {
		return v.expects(child), true
	}
	return "", v.suffix != ""
}
