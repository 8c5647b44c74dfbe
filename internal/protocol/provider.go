package protocol

import (
	"net/http"
	"slices"
	"strings"
)

// GuessProvider guesses whose API a request is for that no API claims, by what the
// providers' clients were seen to send. Claude Code's start-up probe has no header
// that tells.
func GuessProvider(r *http.Request) string {
	has := func(name string) bool { return r.Header.Get(name) != "" }
	switch {
	case slices.ContainsFunc([]string{"Anthropic-Version", "Anthropic-Beta", "X-Api-Key"}, has):
		return "anthropic"
	case has("X-Goog-Api-Key"):
		return "gemini"
	case has("Amz-Sdk-Request"), has("X-Amz-Date"), strings.Contains(r.URL.Path, "/inference-profiles"):
		return "bedrock" // Claude Code asks for profiles at its start, with a bearer key
	case strings.Contains(r.URL.Path, "/projects/") && strings.Contains(r.URL.Path, "/locations/"):
		return "vertex"
	case strings.HasPrefix(r.UserAgent(), "ollama"):
		return "ollama"
	case has("Authorization"):
		return "openai"
	}
	return "anthropic"
}
