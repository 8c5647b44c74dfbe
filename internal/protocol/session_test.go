package protocol

import (
	"net/http"
	"testing"

	"imagebreaker/internal/jsontree"
)

func parse(t testing.TB, body string) jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return n
}

func TestSession(t *testing.T) {
	t.Parallel()
	const id = "11111111-0000-4000-8000-000000000001"
	h := func(pairs ...string) http.Header {
		out := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			out.Set(pairs[i], pairs[i+1])
		}
		return out
	}
	cases := []struct {
		name string
		h    http.Header
		body string
		want string
	}{
		{"none", h(), `{}`, ""},
		{"Claude Code", h("X-Claude-Code-Session-Id", id), `{}`, id},
		{"Claude Code before the body", h("x-claude-code-session-id", id), `{"metadata":{"user_id":"{\"session_id\":\"x\"}"}}`, id},
		{"user id in JSON", h(), `{"metadata":{"user_id":"{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"` + id + `\"}"}}`, id},
		{"user id in JSON without a session", h("session-id", "h"), `{"metadata":{"user_id":"{\"device_id\":\"d\"}"}}`, "h"},
		{"user id, older form", h(), `{"metadata":{"user_id":"user_0123abcd_account__session_` + id + `"}}`, id},
		{"user id that is just a user", h(), `{"metadata":{"user_id":"someone"}}`, ""},
		{"user id is no text", h(), `{"metadata":{"user_id":7}}`, ""},
		{"body before plain headers", h("session-id", "h"), `{"metadata":{"user_id":"{\"session_id\":\"b\"}"}}`, "b"},
		{"session-id", h("session-id", "a"), `{}`, "a"},
		{"session_id", h("session_id", "a"), `{}`, "a"},
		{"session-id before session_id", h("session_id", "b", "session-id", "a"), `{}`, "a"},
		{"x-session-id", h("x-session-id", "a"), `{}`, "a"},
		{"the parent first", h("x-session-id", "child", "x-parent-session-id", "p"), `{}`, "p"},
		{"x-session-affinity", h("x-session-affinity", "a"), `{}`, "a"},
		{"x-session-id before affinity", h("x-session-affinity", "b", "x-session-id", "a"), `{}`, "a"},
		{"prompt_cache_key", h(), `{"prompt_cache_key":"k"}`, "k"},
		{"headers before prompt_cache_key", h("session-id", "a"), `{"prompt_cache_key":"k"}`, "a"},
		{"an empty header tells nothing", h("session-id", ""), `{"prompt_cache_key":"k"}`, "k"},
	}
	for _, c := range cases {
		if got := session(c.h, parse(t, c.body)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
