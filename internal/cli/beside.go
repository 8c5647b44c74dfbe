package cli

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"

	"imagebreaker/internal/config"
	"imagebreaker/internal/proxy"
)

// beside is another address of the proxy, all of whose requests go to one
// provider. At the first address a request's path and headers must tell whose
// it is, and those of Ollama, Bedrock and Vertex AI do not always: Ollama's
// clients also speak OpenAI's API to it, and a request of Bedrock's that no API
// claims would take its key to OpenAI.
type beside struct {
	provider string
	ln       net.Listener
	server   *http.Server
}

// address is where the provider's requests go, before the service has started.
func (s *service) address(provider string) (*url.URL, error) {
	at := &url.URL{Scheme: "http", Host: s.proxy.Address}
	if !isBeside(provider) || config.IsSingle(s.proxy.Upstreams) {
		return at, nil
	}
	for _, b := range s.beside {
		if b.provider == provider {
			at.Host = b.ln.Addr().String()
			return at, nil
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("run: no address for %s: %w", provider, reason(err))
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
	s.beside = append(s.beside, beside{provider, ln, server})
	at.Host = c.Address
	return at, nil
}

func isBeside(provider string) bool {
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

func (s *service) startBeside() {
	for _, b := range s.beside {
		go b.server.Serve(b.ln) // its end is the first one's
	}
}

func (s *service) closeBeside(ctx context.Context) {
	for _, b := range s.beside {
		if b.server.Shutdown(ctx) != nil {
			b.server.Close()
		}
	}
}
