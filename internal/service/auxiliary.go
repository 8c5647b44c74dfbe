package service

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"

	"imagebreaker/internal/config"
	"imagebreaker/internal/proxy"
)

// auxiliary is another listener of the proxy, all of whose requests go to one
// provider. At the first one a request's path and headers must tell whose it is,
// and those of Ollama, Bedrock and Vertex AI do not always: Ollama's clients also
// speak OpenAI's API to it, and a request of Bedrock's that no API claims would
// take its key to OpenAI.
type auxiliary struct {
	provider string
	ln       net.Listener
	server   *http.Server
}

// Address is where the provider's requests go. It opens an auxiliary listener
// for a provider that needs one, and must be called before Start.
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
	if provider == "bedrock" { // Amazon's SDK for JavaScript speaks HTTP/2 to it, also without TLS
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetUnencryptedHTTP2(true)
	}
	s.auxiliary = append(s.auxiliary, auxiliary{provider, ln, server})
	at.Host = c.Address
	return at, nil
}

// isAmbiguous tells whether a request need not show that it is the provider's.
func isAmbiguous(provider string) bool {
	return provider == "ollama" || provider == "bedrock" || provider == "vertex"
}

// only are upstreams that all are the provider's.
func only(ups proxy.Upstreams, provider string) proxy.Upstreams {
	out := maps.Clone(ups)
	for name := range out {
		out[name] = ups[provider]
	}
	return out
}
