package protocol

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// APIs is a list of wire APIs, in the order in which they are asked whether a request
// belongs to them. The first one is the fallback for a provider without an API.
type APIs []API

// known is every API of this package.
var known = APIs{
	anthropic{},
	bedrockConverse{},
	bedrockInvoke{},
	gemini{},
	ollamaChat{},
	ollamaGenerate{},
	chat{},
	responses{},
	sglang{},
}

// All returns the APIs that this package knows.
func All() APIs { return slices.Clone(known) }

// Match returns the API and the call that a request belongs to.
func (as APIs) Match(method string, u *url.URL, h http.Header) (API, Call, bool) {
	for _, a := range as {
		if c, ok := a.Match(method, u, h); ok {
			return a, c, true
		}
	}
	return nil, Call{}, false
}

// Of returns an API of the provider, whose clients read its error envelope; the first
// of the list if there is none.
func (as APIs) Of(provider string) API {
	i := slices.IndexFunc(as, func(a API) bool { return a.Provider() == provider })
	return as[max(0, i)]
}

// GuessProvider returns the likely provider of a request that no API claims, by what
// the providers' clients were seen to send. The default is Anthropic: the start-up
// probe of Claude Code has no telling header.
func GuessProvider(r *http.Request) string {
	has := func(name string) bool { return r.Header.Get(name) != "" }
	switch {
	case slices.ContainsFunc([]string{"Anthropic-Version", "Anthropic-Beta", "X-Api-Key"}, has):
		return "anthropic"
	case has("X-Goog-Api-Key"):
		return "gemini"
	case has("Amz-Sdk-Request"), has("X-Amz-Date"), strings.Contains(r.URL.Path, "/inference-profiles"):
		return "bedrock" // Claude Code lists profiles at its start, with a bearer key
	case strings.Contains(r.URL.Path, "/projects/") && strings.Contains(r.URL.Path, "/locations/"):
		return "vertex"
	case strings.HasPrefix(r.UserAgent(), "ollama"):
		return "ollama"
	case has("Authorization"):
		return "openai"
	}
	return "anthropic"
}
