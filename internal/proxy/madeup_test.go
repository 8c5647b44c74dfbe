package proxy_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/proxy"
	"imagebreaker/sse"
)

// madeUp is an API that nobody has, in this file alone: the proxy knows no API's
// fields, and needs no change for a new one. Its pictures are Anthropic's blocks.
type madeUp struct{ protocol.API }

func (madeUp) Name() string { return "made_up" }

func (madeUp) Match(method string, u *url.URL, _ http.Header) (protocol.Call, bool) {
	return protocol.Call{Kind: protocol.Generate}, method == http.MethodPut && u.Path == "/made/up"
}

func (madeUp) Turn(r protocol.Reply) []byte { return fmt.Appendf(nil, `{"says":%q}`, r.Text) }

func (madeUp) Placeholder(im *protocol.Image, text string) []byte {
	return fmt.Appendf(nil, `{"gone":%q}`, text)
}

func (madeUp) Ends(e sse.Event) bool { return e.Name == "over" }

func TestMadeUpAPI(t *testing.T) {
	t.Parallel()
	bad := page("image/png")
	r := start(t, func(q fakeapi.Request) fakeapi.Answer {
		if strings.Contains(string(q.Body), bad.needle()) {
			return fakeapi.JSON(400, `{"error":"Could not process image","made":"up"}`)
		}
		return fakeapi.JSON(200, `{"says":"fine"}`)
	}, func(c *proxy.Config) {
		c.APIs = append(protocol.All(), madeUp{protocol.All().Of("anthropic")})
	})
	c := ask(fakeapi.Anthropic, false, bad)
	put := func(c talk) answer {
		t.Helper()
		req, err := http.NewRequest(http.MethodPut, r.url+"/made/up", strings.NewReader(c.body()))
		must(t, err)
		req.Header.Set("X-Session-Id", "ses_1")
		resp, err := r.client.Do(req)
		must(t, err)
		a, err := answerFrom(resp)
		must(t, err)
		return a
	}
	if a := put(c); a.status != 400 || !strings.Contains(a.body, `"made":"up"`) {
		t.Errorf("first: %d %s", a.status, a.body)
	}
	if a := put(c); a.status != 200 || !strings.HasPrefix(a.body, `{"says":"[imagebreaker]`) {
		t.Errorf("repeat: %d %s", a.status, a.body)
	}
	if a := put(c.then("go on")); a.body != `{"says":"fine"}` {
		t.Errorf("later: %d %s", a.status, a.body)
	}
	if seen := r.api.Requests(); len(seen) != 2 || !strings.Contains(string(seen[1].Body), `{"gone":"[imagebreaker`) {
		t.Errorf("%d went up", len(seen))
	}
	if es := r.wantEvents("failure_recorded", "short_circuited", "repaired"); es[0].Protocol != "made_up" {
		t.Errorf("%+v", es[0])
	}
}
