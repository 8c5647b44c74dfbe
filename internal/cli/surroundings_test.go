//go:build unix

package cli

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// hub is a forward proxy that brings every request to one place.
type hub struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // the targets, with the credentials given for them
}

func startHub(t *testing.T, to string) *hub {
	t.Helper()
	h := &hub{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		h.mu.Unlock()
		if r.Method != http.MethodConnect {
			io.WriteString(w, "by the hub")
			return
		}
		up, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer up.Close()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 200 Connected\r\n\r\n")
		go func() {
			io.Copy(up, conn)
			up.Close()
		}()
		io.Copy(conn, up)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hub) saw() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.TrimSpace(strings.Join(h.asked, "\n"))
}

// secureUpstream is one whose certificate nobody knows; it lies in a file.
func secureUpstream(t *testing.T) (address, certificate string) {
	t.Helper()
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "by the API in "+r.Proto)
	}))
	up.EnableHTTP2 = true
	up.Config.ErrorLog = log.New(io.Discard, "", 0)
	up.StartTLS()
	t.Cleanup(up.Close)
	certificate = filepath.Join(t.TempDir(), "cert.pem")
	if err := os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: up.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return up.Listener.Addr().String(), certificate
}

// The environment says by which proxy, and with which certificates, upstreams
// are reached.
func TestSurroundings(t *testing.T) {
	t.Parallel()
	secure, certificate := secureUpstream(t)
	_, securePort, _ := net.SplitHostPort(secure)
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "by the API") }))
	t.Cleanup(plain.Close)
	_, port, _ := net.SplitHostPort(plain.Listener.Addr().String())
	here := "http://0.0.0.0:" + port // this machine, and for Go no loopback address: those are never proxied
	cases := []struct {
		name     string
		upstream string
		env      []string // HUB stands for the forward proxy's address
		says     string
		asked    string // what the forward proxy was asked
	}{
		{"secure, by a proxy", "https://api.example.com", []string{"HTTPS_PROXY=http://HUB", "SSL_CERT_FILE=" + certificate}, "by the API in HTTP/2.0", "CONNECT api.example.com:443"},
		{"with a password", "https://api.example.com", []string{"https_proxy=http://user:SECRET@HUB", "SSL_CERT_FILE=" + certificate}, "by the API", "CONNECT api.example.com:443 Basic dXNlcjpTRUNSRVQ="},
		{"an unknown certificate", "https://api.example.com", []string{"HTTPS_PROXY=http://HUB"}, `{"type":"error","error":{"type":"api_error","message":"imagebreaker: cannot reach api.example.com: tls: failed to verify certificate`, "CONNECT api.example.com:443"},
		{"secure, no proxy", "https://127.0.0.1:" + securePort, []string{"SSL_CERT_FILE=" + certificate}, "by the API", ""},
		{"plain, by a proxy", here, []string{"HTTP_PROXY=http://HUB"}, "by the hub", "POST " + here + "/v1/messages"},
		{"an exception", here, []string{"HTTP_PROXY=http://HUB", "NO_PROXY=example.com,0.0.0.0"}, "by the API", ""},
		{"a proxy that is down", here, []string{"HTTP_PROXY=http://user:SECRET@127.0.0.1:1"}, "proxyconnect", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := startHub(t, secure)
			env := []string{quickExit, "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"), "PATH=" + os.Getenv("PATH")}
			for _, v := range c.env {
				env = append(env, strings.ReplaceAll(v, "HUB", h.Listener.Addr().String()))
			}
			p, err := startProgram(t.TempDir(), env, "--listen", "127.0.0.1:0", "--upstream", c.upstream, "--mode", "off")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.kill)
			got := rawPost(t, p.url)
			if !strings.Contains(got, c.says) || strings.Contains(got, "SECRET") {
				t.Errorf("got %q, want %q", got, c.says)
			}
			if s := h.saw(); s != c.asked {
				t.Errorf("the proxy was asked %q, want %q", s, c.asked)
			}
		})
	}
}

// rawPost sends a request on a connection of its own and returns the answer as
// it stands on the wire.
func rawPost(t *testing.T, url string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
	b, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
