package service

import (
	"bytes"
	"io"
	"log"
	"net"
	"strings"
	"testing"

	"imagebreaker/internal/config"
	"imagebreaker/internal/upstream"
)

func TestLoops(t *testing.T) {
	t.Parallel()
	tests := []struct {
		upstream, self string
		want           string // the provider that is blamed; "": none
	}{
		{"http://127.0.0.1:8788", "127.0.0.1:8788", "anthropic"},
		{"http://127.0.0.1:8788/v1/", "127.0.0.1:8788", "anthropic"},
		{"http://localhost:8788", "127.0.0.1:8788", "anthropic"},
		{"http://LOCALHOST.:8788", "[::1]:8788", "anthropic"},
		{"http://[::1]:8788", "[::1]:8788", "anthropic"},
		{"http://[::ffff:127.0.0.1]:8788", "127.0.0.1:8788", "anthropic"},
		{"http://0.0.0.0:8788", "127.0.0.1:8788", "anthropic"},
		{"http://127.0.0.1", "127.0.0.1:80", "anthropic"},
		{"https://127.0.0.1", "127.0.0.1:443", "anthropic"},
		{"openai=http://127.0.0.1:8788", "127.0.0.1:8788", "openai"},
		{"openai=http://127.0.0.1:8788,gemini=http://127.0.0.1:8788", "127.0.0.1:8788", "gemini"},
		{"", "127.0.0.1:443", ""},
		{"http://127.0.0.1:8789", "127.0.0.1:8788", ""},
		{"http://127.0.0.2:8788", "127.0.0.1:8788", ""},
		{"http://[::1]:8788", "127.0.0.1:8788", ""},
		{"http://example.test:8788", "127.0.0.1:8788", ""},
		{"http://127.0.0.1", "127.0.0.1:8788", ""},
	}
	for _, tt := range tests {
		ups, err := upstream.Parse(tt.upstream)
		if err != nil {
			t.Fatal(err)
		}
		self, err := net.ResolveTCPAddr("tcp", tt.self)
		if err != nil {
			t.Fatal(err)
		}
		err = loops(ups, self)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), "the upstream for "+tt.want+" is") {
			t.Errorf("%s at %s: %v, want %q blamed", tt.upstream, tt.self, err, tt.want)
		}
	}
}

// TestListenError: the address stands in the message once, with the setting.
func TestListenError(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	at := ln.Addr().String()
	_, err = Open(config.Config{Listen: at}, "v1", io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), `--listen "`+at+`": `) || strings.Count(err.Error(), at) > 1 {
		t.Errorf("%v", err)
	}
}

// TestQuietServer: what the HTTP server says of a client may quote the client.
func TestQuietServer(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	l := log.New(quietServer{&b}, "imagebreaker: ", 0)
	l.Print("http: panic serving 127.0.0.1:5: secret")
	l.Print("http: URL query contains semicolon")
	l.Print("http: Accept error: too many open files; retrying in 5ms")
	if got, want := b.String(), "imagebreaker: http: Accept error: too many open files; retrying in 5ms\n"; got != want {
		t.Errorf("passed on %q, want %q", got, want)
	}
}
