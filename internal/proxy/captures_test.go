package proxy_test

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/protocol"
)

// captured is a request of a real client.
type captured struct {
	method, uri string
	header      http.Header
	body        []byte
}

// captures reads the recorded requests; WebSocket messages are none.
func captures(t *testing.T) map[string]captured {
	t.Helper()
	files, err := filepath.Glob("../../testdata/captures/*.headers")
	must(t, err)
	out := map[string]captured{}
	for _, f := range files {
		head, err := os.ReadFile(f)
		must(t, err)
		body, _ := os.ReadFile(strings.TrimSuffix(f, ".headers") + ".json") // some have none
		line, rest, _ := strings.Cut(string(head), "\n")
		method, uri, _ := strings.Cut(strings.TrimPrefix(line, "# "), " ")
		uri, _, _ = strings.Cut(uri, " ")
		c := captured{method, uri, http.Header{}, bytes.TrimSuffix(body, []byte("\n"))}
		for l := range strings.Lines(rest) {
			k, v, ok := strings.Cut(strings.TrimSpace(l), ": ")
			k = http.CanonicalHeaderKey(k)
			if ok && !strings.HasPrefix(l, "#") && k != "Host" && k != "Connection" && k != "Content-Length" {
				c.header.Add(k, v)
			}
		}
		if method != "WSMSG" && c.header.Get("Upgrade") == "" {
			out[strings.TrimSuffix(filepath.Base(f), ".headers")] = c
		}
	}
	if len(out) < 40 {
		t.Fatalf("%d captures", len(out))
	}
	return out
}

// scan reads a capture as the proxy does; nil if it is no call with a body.
func (c captured) scan(t *testing.T) *protocol.Request {
	t.Helper()
	u, err := url.Parse(c.uri)
	must(t, err)
	api, call, ok := protocol.All().Match(c.method, u, c.header)
	if !ok {
		return nil
	}
	q, err := protocol.Scan(api, call, c.header, c.body, nil)
	must(t, err)
	return q
}

// Every request of a real client arrives as it was sent.
func TestCapturesPass(t *testing.T) {
	t.Parallel()
	for name, c := range captures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			passes(t, c.method, c.uri, c.header, c.body)
		})
	}
}

// In every one with an image the image and the session are found, the failure
// is recorded for them, and the image does not go up again.
func TestCapturesAreShortCircuited(t *testing.T) {
	t.Parallel()
	held := 0
	for name, c := range captures(t) {
		q := c.scan(t)
		if q == nil || len(q.Images) == 0 || q.Kind != protocol.Generate {
			if strings.Contains(name, "image") && q == nil {
				t.Errorf("%s belongs to no API", name)
			}
			continue
		}
		held++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := &q.Images[len(q.Images)-1]
			source := string(bad.Source())
			needle := source[len(source)/2:]
			r := start(t, fakeapi.Refusing(needle), nil)
			var headers []string
			for k, vs := range c.header {
				for _, v := range vs {
					headers = append(headers, k, v)
				}
			}
			r.send(c.uri, string(c.body), headers...)
			again := r.send(c.uri, string(c.body), headers...)
			if n := r.api.Uploads(needle); n != 1 || again.header.Get("X-Imagebreaker") == "" {
				t.Errorf("%d uploads; the repeat was answered %d %s", n, again.status, again.body)
			}
			es := r.events()
			want := q.Session
			if want == "" {
				want = "none"
			}
			if es[0].Event != "failure_recorded" || es[0].SessionID != want || es[0].ImagesTotal != len(q.Images) || !strings.Contains(strings.Join(es[0].Images, " "), bad.Sum.Log()) {
				t.Errorf("%+v", es[0])
			}
		})
	}
	if held < 25 {
		t.Errorf("%d captures have an image", held)
	}
}
