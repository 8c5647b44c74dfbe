package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// launched is what Launch makes of a command line: the arguments, the variables
// beside those of the base URLs, and the notes.
func launched(t *testing.T, folder string, getenv func(string) string, words ...string) (args string, vars []string, said string) {
	t.Helper()
	c := Child{Words: words, Getenv: getenv}
	plain, err := c.environ(atSelf)
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.Launch(atSelf, folder)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(l.Args, " "), l.Env[len(plain):], strings.Join(l.Notes, "\n")
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
		args, _, said := launched(t, "", getter(append(c.env, "CODEX_HOME", home)...), "/usr/bin/codex", "exec", "x")
		if args != c.want+"exec x" || !strings.Contains(said, "codex ") {
			t.Errorf("%s: %q, said %q", c.about, args, said)
		}
	}
}

func TestAgentsThatReadNothing(t *testing.T) {
	t.Parallel()
	for name, word := range map[string]string{"pi": "its own settings", "/opt/cn": "cn finds most", "cline": "its own settings", "claude": "", "sh": ""} {
		args, vars, said := launched(t, "", getter(), name, "-p", "x")
		if args != "-p x" || len(vars) > 0 || !strings.Contains(said, word) || (word == "") != (said == "") {
			t.Errorf("%s: %q, %v, said %q", name, args, vars, said)
		}
	}
	_, _, said := launched(t, "", getter("CLAUDE_CODE_USE_BEDROCK", "1"), "claude")
	if !strings.Contains(said, "AWS_BEARER_TOKEN_BEDROCK") {
		t.Errorf("said %q", said)
	}
	if _, _, said = launched(t, "", getter("CLAUDE_CODE_USE_BEDROCK", "1", "AWS_BEARER_TOKEN_BEDROCK", "k"), "claude"); said != "" {
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
		_, vars, said := launched(t, t.TempDir(), getter(c.env...), "gemini", "-p", "x")
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
