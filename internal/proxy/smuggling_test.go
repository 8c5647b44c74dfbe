package proxy_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
)

// literal is an upstream that keeps what it was sent as it stood on the wire.
type literal struct {
	mu   sync.Mutex
	seen []string // "POST /path body"
	bad  []string // heads with more than one word on the body's length
}

// serve answers one request as any server does.
func (s *literal) serve(w wire) {
	var sent bytes.Buffer
	r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(w.in, &sent)))
	if err != nil {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	head, _, _ := strings.Cut(strings.ToLower(sent.String()), "\r\n\r\n")
	s.mu.Lock()
	s.seen = append(s.seen, r.Method+" "+r.RequestURI+" "+string(body))
	if strings.Count(head, "\ncontent-length:")+strings.Count(head, "\ntransfer-encoding:") > 1 || strings.Contains(head, "\n ") || strings.Contains(head, "\n\t") {
		s.bad = append(s.bad, head)
	}
	s.mu.Unlock()
	w.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
}

// Whatever a request says of its length, the upstream is told one thing and
// sees one request, or the request is refused.
func TestSmuggling(t *testing.T) {
	t.Parallel()
	const hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
	const chunks = "2\r\n{}\r\n0\r\n\r\n"
	cases := []struct {
		name, headers, body string
		status              string
		arrives             string // the body; only if the status is 200
	}{
		{"length and chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", chunks, "200", "{}"},
		{"chunks and length", "Transfer-Encoding: chunked\r\nContent-Length: 40\r\n", chunks, "200", "{}"},
		{"two lengths", "Content-Length: 2\r\nContent-Length: 45\r\n", "{}" + hidden, "400", ""},
		{"two lengths in one line", "Content-Length: 2, 45\r\n", "{}" + hidden, "400", ""},
		{"the same length twice", "Content-Length: 2\r\nContent-Length: 2\r\n", "{}", "200", "{}"},
		{"a signed length", "Content-Length: +2\r\n", "{}", "400", ""},
		{"a negative length", "Content-Length: -2\r\n", "{}", "400", ""},
		{"a length in hex", "Content-Length: 0x2\r\n", "{}", "400", ""},
		{"a length that overflows", "Content-Length: 18446744073709551618\r\n", "{}", "400", ""},
		{"a length with a space before the colon", "Content-Length : 2\r\n", "{}", "400", ""},
		{"two codings", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", chunks, "501", ""},
		{"two codings in one line", "Transfer-Encoding: chunked, identity\r\n", chunks, "501", ""},
		{"an unknown coding", "Transfer-Encoding: xchunked\r\n", chunks, "501", ""},
		{"a coding with a tab", "Transfer-Encoding:\tchunked\r\n", chunks, "200", "{}"},
		{"a coding with a vertical tab", "Transfer-Encoding: \x0bchunked\r\n", chunks, "400", ""},
		{"a folded coding", "Transfer-Encoding:\r\n chunked\r\n", chunks, "200", "{}"},
		{"a folded length", "Content-Length:\r\n 2\r\n", "{}", "200", "{}"},
		{"a folded header", "X-A: 1\r\n Content-Length: 45\r\nContent-Length: 2\r\n", "{}", "200", "{}"},
		{"a bare CR", "X-A: 1\rContent-Length: 45\r\nContent-Length: 2\r\n", "{}", "400", ""},
		{"a NUL", "X-A: 1\x002\r\nContent-Length: 2\r\n", "{}", "400", ""},
		{"a header without a name", ": 1\r\nContent-Length: 2\r\n", "{}", "400", ""},
		{"two hosts", "Host: y\r\nContent-Length: 2\r\n", "{}", "400", ""},
		{"a length that Connection names", "Connection: close, Content-Length\r\nContent-Length: 2\r\n", "{}", "200", "{}"},
		{"a large chunk", "Transfer-Encoding: chunked\r\n", "ffffffffffffffff0\r\n" + hidden, "", ""},
	}
	for _, path := range []string{"/v1/messages", "/v1/other"} {
		for _, c := range cases {
			var up literal
			addr := behind(t, nil, to(t, wired(t, up.serve)))
			got := raw(t, addr, "POST "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"+c.headers+"\r\n"+c.body)
			if c.status != "" && !strings.HasPrefix(got, "HTTP/1.1 "+c.status+" ") {
				t.Errorf("%s, %s: got %q, want %s", path, c.name, got, c.status)
			}
			var want []string
			if c.status == "200" {
				want = []string{"POST " + path + " " + c.arrives}
			}
			up.mu.Lock()
			if !slices.Equal(up.seen, want) || len(up.bad) > 0 {
				t.Errorf("%s, %s: the upstream saw %q, want %q; heads %q", path, c.name, up.seen, want, up.bad)
			}
			up.mu.Unlock()
		}
	}
}

// hostile are texts that a header or an event must not be made of as they are.
var hostile = []string{
	"a\r\nX-Evil: 1", "a\n\nevent: evil\ndata: {}\n\n", "a\r\rdata: evil", "\x00\x1b[2J", "\u2028\u2029\u0085", `"},"evil":{"`, `\`, strings.Repeat("long ", 2<<10),
}

// Names that a client invents get neither into headers nor between the lines of
// a stream or of the log.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), func(c *proxy.Config) { c.Reply = policy.Message })
	sent := 0
	for _, text := range hostile {
		for _, api := range apis {
			c := read(api, true, "cover.jpg", p)
			body := strings.NewReplacer(`"the-model"`, quote(text), "cover.jpg", quote(text)[1:len(quote(text))-1]).Replace(c.body())
			body = strings.Replace(body, "{", `{"prompt_cache_key":`+quote(text)+`,`, 1)
			r.send(c.path(), body)
			a := r.send(c.path(), body)
			sent += 2
			if a.header.Get("X-Evil") != "" || strings.ContainsAny(a.header.Get("X-Imagebreaker"), "\r\n") || a.status != 200 || !strings.HasPrefix(a.header.Get("X-Imagebreaker"), "short-circuited") {
				t.Errorf("%s %.40q: %d %v", api, text, a.status, a.header)
			}
			if a.header.Get("Content-Type") != "text/event-stream" {
				continue // a framing of lengths has no lines
			}
			for _, line := range strings.FieldsFunc(a.body, func(c rune) bool { return c == '\r' || c == '\n' }) {
				if kind, _, _ := strings.Cut(line, ":"); kind != "data" && kind != "event" || strings.Contains(line[:min(20, len(line))], ": evil") {
					t.Errorf("%s %.40q: a line %.100q", api, text, line)
				}
			}
		}
	}
	r.listed() // is JSON
	if n := len(r.events()); n != sent {
		t.Errorf("%d lines in the log, want %d", n, sent)
	}
}
