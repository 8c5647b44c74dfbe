package cli

import (
	"slices"
	"strings"
	"testing"
)

func getter(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// A base URL that was set before becomes the upstream, and the child's paths
// arrive there as they would have.
func TestBaseURLsBecomeUpstreams(t *testing.T) {
	t.Parallel()
	const self = "http://127.0.0.1:9"
	cases := []struct {
		name, value     string
		provider        string
		upstream, child string
	}{
		{"ANTHROPIC_BASE_URL", "", "anthropic", "https://api.anthropic.com", self},
		{"ANTHROPIC_BASE_URL", "https://gate.example.test/anthropic/", "anthropic", "https://gate.example.test/anthropic", self},
		{"OPENAI_BASE_URL", "", "openai", "https://api.openai.com", self + "/v1"},
		{"OPENAI_BASE_URL", "https://openrouter.ai/api/v1", "openai", "https://openrouter.ai/api", self + "/v1"},
		{"OPENAI_BASE_URL", "https://openrouter.ai/api/v1/", "openai", "https://openrouter.ai/api", self + "/v1"},
		{"OPENAI_BASE_URL", "http://127.0.0.1:8000/openai", "openai", "http://127.0.0.1:8000/openai", self},
		{"OPENAI_API_BASE", "http://127.0.0.1:8000/v1", "openai", "http://127.0.0.1:8000", self + "/v1"},
		{"GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:8000", "gemini", "http://127.0.0.1:8000", self},
	}
	for _, c := range cases {
		getenv := getter(c.name, c.value, "HOME", "/home/x")
		conf, err := configure(Env{Getenv: getenv})
		if err != nil {
			t.Fatal(err)
		}
		if err := conf.forChild(getenv); err != nil {
			t.Errorf("%s=%s: %v", c.name, c.value, err)
		}
		if got := conf.proxy.Upstreams[c.provider].String(); got != c.upstream {
			t.Errorf("%s=%s: upstream %s, want %s", c.name, c.value, got, c.upstream)
		}
		if env := conf.childEnv(self, getenv); !slices.Contains(env, c.name+"="+c.child) {
			t.Errorf("%s=%s: the child gets %v, want %s", c.name, c.value, env, c.child)
		}
		if conf.listen != "127.0.0.1:0" {
			t.Errorf("listens on %s", conf.listen)
		}
	}
}

func TestGivenUpstreamWins(t *testing.T) {
	t.Parallel()
	getenv := getter("ANTHROPIC_BASE_URL", "http://127.0.0.1:1", "HOME", "/home/x")
	conf, err := configure(Env{Getenv: getenv, Args: []string{"--upstream", "http://127.0.0.1:2", "--listen", "127.0.0.1:3"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := conf.forChild(getenv); err != nil || conf.proxy.Upstreams["anthropic"].Host != "127.0.0.1:2" || conf.listen != "127.0.0.1:3" {
		t.Errorf("%v %v %s", err, conf.proxy.Upstreams["anthropic"], conf.listen)
	}
	bad := getter("OPENAI_BASE_URL", "nonsense", "HOME", "/home/x")
	conf, _ = configure(Env{Getenv: bad})
	if err := conf.forChild(bad); err == nil || !strings.Contains(err.Error(), "OPENAI_BASE_URL") {
		t.Errorf("a base URL that is none: %v", err)
	}
}

// The child must not send what is for the proxy to another proxy.
func TestChildGoesToTheProxyDirectly(t *testing.T) {
	t.Parallel()
	env := config{}.childEnv("http://127.0.0.1:9", getter("NO_PROXY", "example.test"))
	if !slices.Contains(env, "NO_PROXY=example.test,127.0.0.1,localhost") || !slices.Contains(env, "no_proxy=127.0.0.1,localhost") {
		t.Errorf("%v", env)
	}
}

func TestCodexIsToldByItsArguments(t *testing.T) {
	t.Parallel()
	const base = "http://127.0.0.1:9"
	for _, c := range []struct {
		child []string
		key   string
		want  string
	}{
		{[]string{"codex", "exec", "x"}, "k", `-c openai_base_url="http://127.0.0.1:9/v1" exec x`},
		{[]string{"/usr/bin/codex"}, "k", `-c openai_base_url="http://127.0.0.1:9/v1"`},
		{[]string{"codex", "exec", "x"}, "", "exec x"}, // a login with an account
		{[]string{"claude", "-p", "x"}, "k", "-p x"},
	} {
		var said strings.Builder
		got := strings.Join(childArgs(c.child, base, Env{Getenv: getter("OPENAI_API_KEY", c.key), Stderr: &said}), " ")
		if got != c.want || (said.Len() > 0) != strings.HasPrefix(c.want, "-c") {
			t.Errorf("%v: %q, said %q", c.child, got, said.String())
		}
	}
}
