package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"imagebreaker/internal/config"
)

// fitted is what fitAgent makes of a command line, and what it says.
func fitted(t *testing.T, c config.Config, getenv func(string) string, child ...string) (args string, vars []string, said string) {
	t.Helper()
	var to strings.Builder
	a, v := fitAgent(c, Env{Getenv: getenv, Stderr: &to}, child, []string{"OPENAI_BASE_URL=" + self + "/v1"})
	return strings.Join(a, " "), v[1:], to.String()
}

func TestCodexIsToldByItsArguments(t *testing.T) {
	t.Parallel()
	const told = `-c openai_base_url="http://127.0.0.1:9/v1" `
	for _, c := range []struct {
		about, auth string
		env         []string
		want        string
	}{
		{"a key, no login", "", []string{"OPENAI_API_KEY", "k"}, told},
		{"nothing yet", "", nil, ""},
		{"a login with a key", `{"OPENAI_API_KEY":"k","tokens":null}`, nil, told},
		{"an account", `{"OPENAI_API_KEY":null,"tokens":{"access_token":"t"}}`, nil, ""},
		{"an account goes before the key", `{"OPENAI_API_KEY":null,"tokens":{"access_token":"t"}}`, []string{"OPENAI_API_KEY", "k"}, ""},
		{"but not before its own variable", `{"OPENAI_API_KEY":null,"tokens":{"access_token":"t"}}`, []string{"CODEX_API_KEY", "k"}, told},
		{"a damaged login", `{`, []string{"OPENAI_API_KEY", "k"}, told},
	} {
		home := t.TempDir()
		if c.auth != "" {
			if err := os.WriteFile(filepath.Join(home, "auth.json"), []byte(c.auth), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args, _, said := fitted(t, config.Config{}, getter(append(c.env, "CODEX_HOME", home)...), "/usr/bin/codex", "exec", "x")
		if args != c.want+"exec x" || !strings.Contains(said, "imagebreaker: codex ") {
			t.Errorf("%s: %q, said %q", c.about, args, said)
		}
	}
}

func TestAgentsThatReadNothing(t *testing.T) {
	t.Parallel()
	for name, word := range map[string]string{"pi": "its own settings", "/opt/cn": "cn finds most", "cline": "its own settings", "claude": "", "sh": ""} {
		args, vars, said := fitted(t, config.Config{}, getter(), name, "-p", "x")
		if args != "-p x" || len(vars) > 0 || !strings.Contains(said, word) || (word == "") != (said == "") {
			t.Errorf("%s: %q, %v, said %q", name, args, vars, said)
		}
	}
	_, _, said := fitted(t, config.Config{}, getter("CLAUDE_CODE_USE_BEDROCK", "1"), "claude")
	if !strings.Contains(said, "AWS_BEARER_TOKEN_BEDROCK") {
		t.Errorf("said %q", said)
	}
	if _, _, said = fitted(t, config.Config{}, getter("CLAUDE_CODE_USE_BEDROCK", "1", "AWS_BEARER_TOKEN_BEDROCK", "k"), "claude"); said != "" {
		t.Errorf("said %q", said)
	}
}

// Gemini CLI keeps the login that it would have taken without a base URL.
func TestGeminiKeepsItsLogin(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/etc/gemini-cli/system-defaults.json"); err == nil {
		t.Skip("this machine has defaults of its own")
	}
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{[]string{"GEMINI_API_KEY", "k"}, true},
		{nil, false},
		{[]string{"GEMINI_API_KEY", "k", "GOOGLE_GENAI_USE_GCA", "true"}, false},
		{[]string{"GEMINI_API_KEY", "k", "GOOGLE_GENAI_USE_VERTEXAI", "true"}, false},
		{[]string{"GEMINI_API_KEY", "k", "GOOGLE_GEMINI_BASE_URL", "http://h"}, false},
		{[]string{"GEMINI_API_KEY", "k", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "/x"}, false},
	} {
		conf := config.Config{Events: filepath.Join(t.TempDir(), "events.jsonl")}
		_, vars, said := fitted(t, conf, getter(c.env...), "gemini", "-p", "x")
		if got := len(vars) == 1; got != c.want || said != "" {
			t.Errorf("%v: %v, said %q", c.env, vars, said)
		}
		for _, v := range vars {
			_, file, _ := strings.Cut(v, "=")
			if text, err := os.ReadFile(file); err != nil || !slices.Contains(strings.Split(string(text), `"`), "gemini-api-key") {
				t.Errorf("%s holds %q, %v", file, text, err)
			}
		}
	}
}
