// Package upstream knows where requests go: the base URL of each provider, and
// which of them could not be reached at the last try.
package upstream

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"imagebreaker/internal/protocol"
)

// Set is the base URLs that requests go to, by provider.
type Set map[string]*url.URL

// publicAPIs are the providers' own addresses; Ollama's is the one that it
// listens on by default. Bedrock has one for each region.
var publicAPIs = map[string]string{
	"anthropic": "https://api.anthropic.com",
	"openai":    "https://api.openai.com",
	"gemini":    "https://generativelanguage.googleapis.com",
	"vertex":    "https://aiplatform.googleapis.com",
	"bedrock":   "https://bedrock-runtime.us-east-1.amazonaws.com",
	"ollama":    "http://127.0.0.1:11434",
}

// Parse reads --upstream: one URL for everything, or provider=URL,provider=URL,
// where the others keep their public APIs. Empty means the public APIs for all. An
// error says what would do, and quotes no URL.
func Parse(s string) (Set, error) {
	u := Set{}
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
			return nil, fmt.Errorf("provider %q is none of %s", name, strings.Join(slices.Sorted(maps.Keys(publicAPIs)), ", "))
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

// For is the base URL for a call of the API. A request of no API (nil) goes to the
// provider that its headers point to.
func (u Set) For(api protocol.API, c protocol.Call, r *http.Request) *url.URL {
	switch {
	case api == nil:
		return u[protocol.GuessProvider(r)]
	case c.Provider == "", !u.given(c.Provider) && u.given(api.Provider()):
		// Where only the API's own address was given, it counts for the same
		// API elsewhere as well.
		return u[api.Provider()]
	}
	return u[c.Provider]
}

// region is what AWS's regions are called.
var region = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-\d+$`)

// InRegion moves Bedrock's public API to a region of AWS. A name that is no
// region's changes nothing, and so does any if another address was given.
func (u Set) InRegion(name string) {
	if region.MatchString(name) && !u.given("bedrock") {
		u["bedrock"] = &url.URL{Scheme: "https", Host: "bedrock-runtime." + name + ".amazonaws.com"}
	}
}

// given tells whether a provider has another address than its public one.
func (u Set) given(provider string) bool {
	return u[provider].String() != publicAPIs[provider]
}
