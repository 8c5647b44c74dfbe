//go:build unix

package cli

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// surplus starts an upstream that says more than its answer's length.
func surplus(t *testing.T) (url string, left <-chan struct{}) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		c, err := ln.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		in := bufio.NewReader(c)
		if r, err := http.ReadRequest(in); err == nil {
			io.Copy(io.Discard, r.Body)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}what nobody may read")
			io.Copy(io.Discard, in) // until the proxy has seen it and hangs up
		}
	}()
	return "http://" + ln.Addr().String(), gone
}

// What an upstream says besides its answers gets nowhere.
func TestSurplusOfAnUpstreamIsNotPrinted(t *testing.T) {
	t.Parallel()
	url, left := surplus(t)
	events := filepath.Join(t.TempDir(), "events.jsonl")
	env := []string{quickExit, "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"), "PATH=" + os.Getenv("PATH")}
	p, err := startProgram(t.TempDir(), env, "--listen", "127.0.0.1:0", "--upstream", url, "--events", events, "--state", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	resp, err := http.Post(p.url+"/v1/messages", "application/json", strings.NewReader(`{"model":"m","messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	<-left
	if code, err := p.stop(); code != exitOK || err != nil {
		t.Errorf("exit %d, %v", code, err)
	}
	if p.stderr.Len() > 0 || p.stdout.Len() > 0 {
		t.Errorf("stdout %q, stderr %q", p.stdout.String(), p.stderr.String())
	}
}
