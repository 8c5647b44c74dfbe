package protocol

import (
	"net/http"
	"net/url"
	"slices"
)

// APIs is a list of wire APIs, in the order in which they are asked whether a
// request is theirs. The first one is the fallback for a request whose provider
// cannot be told.
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

// All lists the APIs that this package knows.
func All() APIs { return slices.Clone(known) }

// Match finds the API and the call that a request belongs to.
func (as APIs) Match(method string, u *url.URL, h http.Header) (API, Call, bool) {
	for _, a := range as {
		if c, ok := a.Match(method, u, h); ok {
			return a, c, true
		}
	}
	return nil, Call{}, false
}

// Of is an API of the provider, whose error envelope its clients read; the first
// of the list if none is.
func (as APIs) Of(provider string) API {
	i := slices.IndexFunc(as, func(a API) bool { return a.Provider() == provider })
	return as[max(0, i)]
}
