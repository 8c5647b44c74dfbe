package agents

import (
	"cmp"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// ollamaHost parses OLLAMA_HOST as Ollama's clients do: a host, HOST:PORT or URL.
// An unspecified address means this machine, and an invalid port the default one.
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

// connectable returns the host at which to reach a server that listens at host.
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

// servesOllama reports whether the child is Ollama's server, which listens at
// OLLAMA_HOST.
func (c Child) servesOllama() bool {
	return c.name() == "ollama" && len(c.Words) > 1 && (c.Words[1] == "serve" || c.Words[1] == "start")
}

// vertexAddress returns the regional address of Vertex AI that clients use; nil for
// the global one, and for a malformed region.
func vertexAddress(getenv func(string) string) *url.URL {
	switch region := vertexRegion(getenv); {
	case region == "global" || !isRegion(region):
		return nil
	case region == "us" || region == "eu":
		return &url.URL{Scheme: "https", Host: "aiplatform." + region + ".rep.googleapis.com"}
	default:
		return &url.URL{Scheme: "https", Host: region + "-aiplatform.googleapis.com"}
	}
}

// vertexRegion returns the region whose address a client of Vertex AI would use.
func vertexRegion(getenv func(string) string) string {
	switch {
	case isOn(getenv("CLAUDE_CODE_USE_VERTEX")):
		return cmp.Or(getenv("CLOUD_ML_REGION"), "us-east5")
	case cmp.Or(getenv("GOOGLE_API_KEY"), getenv("GOOGLE_CLOUD_API_KEY")) != "": // keys are global; pi reads the second
		return "global"
	}
	return getenv("GOOGLE_CLOUD_LOCATION")
}

func isRegion(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
