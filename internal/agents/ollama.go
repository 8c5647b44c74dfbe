package agents

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// ollamaHost reads OLLAMA_HOST as Ollama's clients do: a host, host:port or
// URL, where an address of a server that listens everywhere stands for this
// machine, and a port that is none for the default.
func ollamaHost(value string) *url.URL {
	value = strings.Trim(value, "\"' \t\r\n")
	port, scheme := "11434", "http"
	if s, rest, ok := strings.Cut(value, "://"); ok {
		scheme, value = s, rest
		if p, ok := map[string]string{"http": "80", "https": "443"}[s]; ok {
			port = p
		}
	}
	value, path, _ := strings.Cut(value, "/")
	host := value
	if h, p, err := net.SplitHostPort(value); err == nil {
		host = h
		if n, err := strconv.ParseUint(p, 10, 16); err == nil {
			port = strconv.FormatUint(n, 10)
		}
	}
	u := &url.URL{Scheme: scheme, Host: net.JoinHostPort(connectable(host), port)}
	if path = strings.TrimRight(path, "/"); path != "" {
		u.Path = "/" + path
	}
	return u
}

// connectable is where to reach what listens at the host.
func connectable(host string) string {
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	switch {
	case host == "", ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		return "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		return "::1"
	}
	return host
}

// servesOllama tells the server, for which OLLAMA_HOST is the address to
// listen on.
func (c Child) servesOllama() bool {
	return c.name() == "ollama" && len(c.Words) > 1 && (c.Words[1] == "serve" || c.Words[1] == "start")
}
