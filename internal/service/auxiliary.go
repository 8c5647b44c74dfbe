package service

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"

	"imagebreaker/internal/config"
	"imagebreaker/internal/upstream"
)

// auxiliary is a listener whose requests all go to one provider. On the main one,
// path and headers must tell the provider, and for Ollama, Bedrock and Vertex AI
// they do not always: Ollama's clients use OpenAI's API, too, and a request for
// Bedrock that matches no API would take its key to OpenAI.
type auxiliary struct {
	provider string
	ln       net.Listener
	server   *http.Server
}

// Address returns the base URL for the provider's clients. It opens an auxiliary
// listener if the provider needs one, and must be called before Start.
func (s *Service) Address(provider string) (*url.URL, error) {
	at := &url.URL{Scheme: "http", Host: s.proxy.Address}
	if !isAmbiguous(provider) || config.IsSingle(s.proxy.Upstreams) {
		return at, nil
	}
	for _, a := range s.auxiliary {
		if a.provider == provider {
			at.Host = a.ln.Addr().String()
			return at, nil
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no address for %s: %w", provider, errors.Unwrap(err))
	}
	c := s.proxy
	c.Address = ln.Addr().String()
	c.Upstreams = only(s.proxy.Upstreams, provider)
	server := s.newServer(c)
	if provider == "bedrock" { // Amazon's SDK for JavaScript uses HTTP/2, even without TLS
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetUnencryptedHTTP2(true)
	}
	s.auxiliary = append(s.auxiliary, auxiliary{provider, ln, server})
	at.Host = c.Address
	return at, nil
}

// isAmbiguous reports whether requests may not show that they are for the provider.
func isAmbiguous(provider string) bool {
	return provider == "ollama" || provider == "bedrock" || provider == "vertex"
}

// only returns upstreams that are all the provider's.
func only(ups upstream.Set, provider string) upstream.Set {
	out := maps.Clone(ups)
	for name := range out {
		out[name] = ups[provider]
	}
	return out
}
