package service

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"imagebreaker/internal/config"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/upstream"
)

// swallowing starts an upstream that takes WebSockets and whatever they bring.
func swallowing(t *testing.T) string {
	t.Helper()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		io.Copy(io.Discard, conn)
	}))
	t.Cleanup(up.Close)
	return up.URL
}

// openTunnel opens a WebSocket through the proxy.
func openTunnel(t *testing.T, url string) *bufio.Reader {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	in := bufio.NewReader(conn)
	io.WriteString(conn, "GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	if resp, err := http.ReadResponse(in, nil); err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("no tunnel: %v, %v", resp, err)
	}
	return in
}

// When the time is over a tunnel is cut, on both sides, and that is told.
func TestTunnelsDoNotOutliveTheService(t *testing.T) {
	t.Parallel()
	ups, err := upstream.Parse(swallowing(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(config.Config{Listen: "127.0.0.1:0", Proxy: proxy.Config{Upstreams: ups, Mode: policy.Off}}, "v1", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	tunnel := openTunnel(t, s.URL())
	if err := s.Close(0); err == nil || !strings.Contains(err.Error(), "still open") {
		t.Errorf("closed with %v", err)
	}
	if _, err := tunnel.ReadByte(); err == nil {
		t.Error("the tunnel lives on")
	}
	s.open.Wait()
}
