package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"imagebreaker/internal/protocol"
)

// Upstreams are the base URLs that requests go to, by provider.
type Upstreams map[string]*url.URL

// publicAPIs are the providers' own addresses.
var publicAPIs = map[string]string{
	"anthropic": "https://api.anthropic.com",
	"openai":    "https://api.openai.com",
	"gemini":    "https://generativelanguage.googleapis.com",
}

// ParseUpstreams reads --upstream: one URL for everything, or
// provider=URL,provider=URL, where the others keep their public APIs. Empty
// means the public APIs for all.
func ParseUpstreams(s string) (Upstreams, error) {
	u := Upstreams{}
	for name, base := range publicAPIs {
		u[name], _ = url.Parse(base) // constants
	}
	if s == "" {
		return u, nil
	}
	if one, _, _ := strings.Cut(s, ","); !isAssignment(one) {
		base, err := parseBase(s)
		for name := range u {
			u[name] = base
		}
		return u, err
	}
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if _, known := publicAPIs[name]; !known {
			return nil, fmt.Errorf("provider %q is none of anthropic, openai, gemini", name)
		}
		base, err := parseBase(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		u[name] = base
	}
	return u, nil
}

// isAssignment tells name=URL from a URL, which may have a = of its own.
func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && !strings.ContainsAny(name, ":/")
}

func parseBase(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil:
		return nil, errors.New("not a URL; use http://HOST[:PORT][/PATH] or https://…")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.Opaque != "":
		return nil, errors.New("not an http:// or https:// URL with a host")
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, errors.New("a base URL takes no user, query or fragment")
	}
	return u, nil
}

// For is the base URL for a request of the API. A request that belongs to no
// API goes to the provider that its headers betray.
func (u Upstreams) For(api protocol.API, h http.Header) *url.URL {
	if api != nil {
		return u[api.Provider()]
	}
	return u[betrayed(h)]
}

// betrayed guesses a provider. Claude Code's start-up probe has no header that
// tells; the others always send their key.
func betrayed(h http.Header) string {
	has := func(name string) bool { return h.Get(name) != "" }
	switch {
	case slices.ContainsFunc([]string{"Anthropic-Version", "Anthropic-Beta", "X-Api-Key"}, has):
		return "anthropic"
	case has("X-Goog-Api-Key"):
		return "gemini"
	case has("Authorization"):
		return "openai"
	}
	return "anthropic"
}
