package cli

import (
	"testing"

	"imagebreaker/internal/agents"
	"imagebreaker/internal/config"
)

// fitted is the configuration of run for an agent.
func fitted(t *testing.T, base string, flags map[string]string) config.Config {
	t.Helper()
	getenv := func(name string) string {
		return map[string]string{"ANTHROPIC_BASE_URL": base, "HOME": "/home/x"}[name]
	}
	c, err := config.Load(flags, getenv)
	if err == nil {
		err = configureFor(&c, agents.Child{Getenv: getenv})
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGivenUpstreamWins(t *testing.T) {
	t.Parallel()
	const base = "http://127.0.0.1:1"
	c := fitted(t, base, map[string]string{"upstream": "http://127.0.0.1:2", "listen": "127.0.0.1:3"})
	if c.Proxy.Upstreams["anthropic"].Host != "127.0.0.1:2" || c.Listen != "127.0.0.1:3" {
		t.Errorf("%v, listens on %s", c.Proxy.Upstreams["anthropic"], c.Listen)
	}
	fitted(t, "nonsense", map[string]string{"upstream": "http://127.0.0.1:2"}) // is of no interest then
	// Providers that it does not name keep what the variables say.
	c = fitted(t, base, map[string]string{"upstream": "openai=http://127.0.0.1:2"})
	if a, o := c.Proxy.Upstreams["anthropic"].Host, c.Proxy.Upstreams["openai"].Host; a != "127.0.0.1:1" || o != "127.0.0.1:2" {
		t.Errorf("anthropic at %s, openai at %s", a, o)
	}
	if c.Listen != "127.0.0.1:0" {
		t.Errorf("listens on %s", c.Listen)
	}
}
