//go:build unix

package cli

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
)

// echoing starts an upstream that takes WebSockets and says every line again,
// until it is told bye.
func echoing(t *testing.T) string {
	t.Helper()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		for {
			line, err := buf.ReadString('\n')
			if err != nil || line == "bye\n" {
				return
			}
			io.WriteString(conn, line)
		}
	}))
	t.Cleanup(up.Close)
	return up.URL
}

// tunnel is a WebSocket through the proxy.
type tunnel struct {
	net.Conn
	in *bufio.Reader
}

func openTunnel(t *testing.T, url string) tunnel {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	tu := tunnel{conn, bufio.NewReader(conn)}
	io.WriteString(conn, "GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	resp, err := http.ReadResponse(tu.in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("no tunnel: %v, %v", resp, err)
	}
	tu.echoes(t, "hello\n")
	return tu
}

func (tu tunnel) echoes(t *testing.T, line string) {
	t.Helper()
	io.WriteString(tu, line)
	if got, err := tu.in.ReadString('\n'); got != line {
		t.Errorf("the tunnel says %q, %v; want %q", got, err, line)
	}
}

func startTunnelling(t *testing.T, mode string) (*program, tunnel) {
	t.Helper()
	env := []string{quickExit, "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"), "PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + t.TempDir()}
	p, err := startProgram(t.TempDir(), env, "--listen", "127.0.0.1:0", "--mode", mode, "--upstream", echoing(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	tu := openTunnel(t, p.url)
	if err := p.signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	awaitRefusal(t, strings.TrimPrefix(p.url, "http://"))
	return p, tu
}

// A WebSocket that is open may end by itself, like any other request.
func TestSignalDrainsTunnels(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"off", "dry-run"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p, tu := startTunnelling(t, mode)
			tu.echoes(t, "still here\n")
			select {
			case <-p.ended:
				t.Fatal("ended with a tunnel still open")
			default:
			}
			io.WriteString(tu, "bye\n")
			if rest, err := io.ReadAll(tu.in); len(rest) > 0 || err != nil {
				t.Errorf("the tunnel ends with %q, %v", rest, err)
			}
			tu.Close()
			if code, err := p.wait(); code != exitOK || err != nil || p.stderr.Len() > 0 {
				t.Errorf("exit %d, %v, stderr %q", code, err, p.stderr.String())
			}
		})
	}
}

func TestSecondSignalCutsTunnels(t *testing.T) {
	t.Parallel()
	p, tu := startTunnelling(t, "off")
	if err := p.signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := p.wait(); err != nil {
		t.Fatal(err)
	}
	if how := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !how.Signaled() || how.Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v, want by SIGTERM", p.cmd.ProcessState)
	}
	if _, err := tu.in.ReadByte(); err == nil {
		t.Error("the tunnel lives on")
	}
}
