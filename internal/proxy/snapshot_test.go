package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/substitution"
)

// reserved sends a request to a reserved path; headers are pairs, Host among them.
func (r *rig) reserved(method, path string, headers ...string) answer {
	r.Helper()
	req, err := http.NewRequest(method, r.url+path, nil)
	must(r.T, err)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := r.client.Do(req)
	must(r.T, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(r.T, err)
	return answer{resp.StatusCode, resp.Header, string(b)}
}

func (r *rig) listed() []map[string]any {
	r.Helper()
	var l []map[string]any
	a := r.reserved("GET", "/-/breakers")
	if err := json.Unmarshal([]byte(a.body), &l); err != nil || a.status != 200 {
		r.Fatalf("%d %s", a.status, a.body)
	}
	return l
}

// A proxy without pages forwards no request for one.
func TestReservedPathsAreNeverForwarded(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), nil)
	for _, path := range []string{"/-/", "/-/healthy", "/-/v1/messages", "/-/nothing"} {
		w := httptest.NewRecorder()
		r.proxy.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(ask(fakeapi.Anthropic, true, good()).body())))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if n := len(r.api.Requests()); n != 0 {
		t.Errorf("%d were forwarded", n)
	}
}

func TestEntriesAreListedAndForgotten(t *testing.T) {
	t.Parallel()
	p, q := cut(), cut()
	r := start(t, fakeapi.Refusing(p.needle(), q.needle()), nil)
	if l := r.listed(); l == nil || len(l) != 0 {
		t.Errorf("without entries: %v", l)
	}
	c, d := ask(fakeapi.Anthropic, true, p), ask(fakeapi.Anthropic, true, q)
	r.passed(c, session(1)...)
	r.rejected(c, session(1)...)
	r.passed(d)
	l := r.listed()
	if len(l) != 2 || l[0]["session_id"] != "ses_1" || l[1]["session_id"] != "none" || l[0]["held_count"] != 1.0 || l[0]["state"] != "live" || l[0]["reason"] != "decode_failed" || l[0]["cool_off_remaining_ms"] != 30000.0 {
		t.Fatalf("%v", l)
	}
	for _, secret := range []string{p.needle(), "please look"} {
		if strings.Contains(r.reserved("GET", "/-/breakers").body, secret) {
			t.Errorf("the list shows %q", secret)
		}
	}
	signature := l[0]["signature"].(string)
	if a := r.reserved("DELETE", "/-/breakers/"+strings.ToUpper(signature)); !strings.Contains(a.body, `"forgotten":1`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	r.passed(c, session(1)...)
	r.rejected(d)
	r.reserved("DELETE", "/-/breakers")
	r.passed(d)
	if n := len(r.listed()); n != 1 {
		t.Errorf("%d listed", n)
	}
}

// The list says what the bytes are: of the image that was named, or the first.
func TestListSaysWhatTheBytesAre(t *testing.T) {
	t.Parallel()
	whole := good()
	named := fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"}}`)
	for _, c := range []struct {
		name      string
		script    fakeapi.Script
		preflight bool
		pictures  []picture
		want      string
	}{
		{"a page", nil, false, []picture{page("image/png")}, "an HTML page, not a PNG"},
		{"preflight", nil, true, []picture{page("image/png")}, "an HTML page, not a PNG"},
		{"an address", nil, false, []picture{remote("https://example.test/x?key=secret")}, "a remote address"},
		{"the broken one of two", nil, false, []picture{good(), pointer()}, "a Git LFS pointer, not a PNG"},
		{"the named one of a set", fakeapi.Always(named), false, []picture{cut(), whole}, fmt.Sprintf("%d bytes, a PNG of 12x12 pixels", len(whole.data))},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			script := c.script
			if script == nil {
				script = fakeapi.Always(fakeapi.BadImage(fakeapi.Anthropic))
			}
			r := start(t, script, func(f *proxy.Config) { f.Preflight = c.preflight })
			r.post(ask(fakeapi.Anthropic, false, c.pictures...), session(1)...)
			l := r.listed()
			if len(l) != 1 || !strings.HasSuffix(l[0]["what"].(string), c.want) {
				t.Errorf("%v, want what: %s", l, c.want)
			}
		})
	}
}

// What is still substituted after a restart can be listed and forgotten too.
func TestSubstitutionsAreListed(t *testing.T) {
	t.Parallel()
	m := substitution.Open(substitution.Config{})
	m.Add("s", "scope", [32]byte{1}, substitution.Mark{Signature: "0123456789abcdef", Reason: "decode_failed"})
	m.Add("fork", "scope", [32]byte{1}, substitution.Mark{Signature: "0123456789abcdef", Reason: "decode_failed"})
	r := start(t, fakeapi.Refusing(), func(c *proxy.Config) { c.Substitutions = m })
	if l := r.listed(); len(l) != 1 || l[0]["signature"] != "0123456789abcdef" || l[0]["state"] != "repaired" {
		t.Errorf("%v", l)
	}
	r.reserved("DELETE", "/-/breakers/0123456789abcdef")
	if l := r.listed(); len(l) != 0 {
		t.Errorf("%v", l)
	}
}

// What is said of a rejected image is what it is in this request, under the label
// that it has here.
func TestSameBytesUnderAnotherLabel(t *testing.T) {
	t.Parallel()
	bad := page("image/png")
	r := start(t, fakeapi.Refusing(bad.needle()), nil)
	r.passed(ask(fakeapi.Anthropic, false, bad))
	for _, c := range []struct{ label, says string }{{"image/png", "not a PNG"}, {"image/webp", "not a WebP"}, {"image/png", "not a PNG"}} {
		bad.label = c.label
		if a := r.rejected(ask(fakeapi.Anthropic, false, bad)); !strings.Contains(a.body, c.says) {
			t.Errorf("as %s: %s", c.label, a.body)
		}
	}
}
