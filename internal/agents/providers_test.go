package agents

import (
	"net"
	"strings"
	"testing"
)

func TestOllamaHost(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"":                             "http://127.0.0.1:11434",
		"example.test":                 "http://example.test:11434",
		"example.test:56789":           "http://example.test:56789",
		":56789":                       "http://127.0.0.1:56789",
		"http://example.test":          "http://example.test:80",
		"https://example.test":         "https://example.test:443",
		"https://example.test:8443/":   "https://example.test:8443",
		"https://example.test/ollama/": "https://example.test:443/ollama",
		"0.0.0.0":                      "http://127.0.0.1:11434",
		"0.0.0.0:8080":                 "http://127.0.0.1:8080",
		"[::]:8080":                    "http://[::1]:8080",
		"::1":                          "http://[::1]:11434",
		"[::1]":                        "http://[::1]:11434",
		"[2001:db8::1]:99":             "http://[2001:db8::1]:99",
		"example.test:66000":           "http://example.test:11434",
		"example.test:port":            "http://example.test:11434",
		` "10.1.2.3" `:                 "http://10.1.2.3:11434",
		"'10.1.2.3:1/'":                "http://10.1.2.3:1",
		"http://0.0.0.0:1234/":         "http://127.0.0.1:1234",
	} {
		if got := ollamaHost(value).String(); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// Whatever it says, there is a host and a port to go to, and never the address
// of everywhere.
func FuzzOllamaHost(f *testing.F) {
	for _, s := range []string{"", "h", "h:1", "https://h/p", "[::]:1", "0.0.0.0", "://", "a:b:c", "[", "'\"", "::/1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		u := ollamaHost(value)
		if _, port, err := net.SplitHostPort(u.Host); err != nil && !strings.ContainsAny(u.Host, "[]") || err == nil && port == "" {
			t.Errorf("%q: no port in %q", value, u.Host)
		}
		if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() {
			t.Errorf("%q: %q is nowhere", value, u.Host)
		}
	})
}
