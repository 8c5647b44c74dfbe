package proxy_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"imagebreaker/internal/proxy"
	"imagebreaker/internal/upstream"
)

// wire is one connection to an upstream that is scripted byte by byte.
type wire struct {
	*net.TCPConn
	n  int // from 1
	in *bufio.Reader
}

// wired starts an upstream that hands each connection to f, and closes it when
// f returns. It returns the upstream's address.
func wired(t *testing.T, f func(w wire)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var all sync.WaitGroup
	var open sync.Map
	all.Go(func() {
		for n := 1; ; n++ {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			open.Store(c, nil)
			all.Go(func() {
				defer c.Close()
				f(wire{c.(*net.TCPConn), n, bufio.NewReader(c)})
			})
		}
	})
	t.Cleanup(func() {
		ln.Close()
		open.Range(func(c, _ any) bool { c.(net.Conn).Close(); return true })
		all.Wait()
	})
	return ln.Addr().String()
}

// request reads the next request with its body; nil if there is none.
func (w wire) request() (r *http.Request, body string) {
	r, err := http.ReadRequest(w.in)
	if err != nil {
		return nil, ""
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, ""
	}
	return r, string(b)
}

func (w wire) say(s string) { io.WriteString(w, s) }

// reset ends the connection with an error for who reads from it.
func (w wire) reset() {
	w.SetLinger(0)
	w.Close()
}

// gone waits until the other side has closed the connection.
func (w wire) gone() { io.Copy(io.Discard, w.in) }

// to sends everything to one upstream: a URL, or the address of a plain one.
func to(t *testing.T, address string) func(*proxy.Config) {
	t.Helper()
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	ups, err := upstream.Parse(address)
	must(t, err)
	return func(c *proxy.Config) { c.Upstreams = ups }
}

// plainPost is a request as it stands on the wire.
func plainPost(path, body string, headers ...string) string {
	lines := append([]string{"POST " + path + " HTTP/1.1", "Host: x", "Connection: close", "Content-Length: " + strconv.Itoa(len(body))}, headers...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

// sortedHead is a text of answers whose header lines are in order: theirs on
// the wire means nothing.
func sortedHead(s string) string {
	blocks := strings.Split(s, "\r\n\r\n")
	for i, b := range blocks {
		lines := strings.Split(b, "\r\n")
		slices.Sort(lines[1:])
		blocks[i] = strings.Join(lines, "\r\n")
	}
	return strings.Join(blocks, "\r\n\r\n")
}

// quote is a text as JSON.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return string(b)
}
