package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestHintAgents(t *testing.T) {
	t.Parallel()
	const claude = "claude: ANTHROPIC_BASE_URL=http://127.0.0.1:8788 claude"
	const codex = `codex: codex -c 'openai_base_url="http://127.0.0.1:8788/v1"'`
	const gemini = "gemini: GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8788 gemini"
	const opencode = `opencode: "baseURL": "http://127.0.0.1:8788/v1" in opencode.json`
	const qwen = "qwen: OPENAI_BASE_URL=http://127.0.0.1:8788/v1 qwen"
	tests := []struct {
		found string
		goos  string
		want  []string // the lines
	}{
		{"", "linux", nil},
		{"vi", "linux", nil},
		{"claude", "linux", []string{claude}},
		{"gemini claude codex", "darwin", []string{claude, codex, gemini}},
		{"claude codex gemini qwen", "linux", []string{claude + "; " + codex, gemini + "; " + qwen}},
		{"claude codex gemini opencode qwen", "linux", []string{claude + "; " + codex, gemini + "; " + opencode, qwen}},
		{"qwen", "windows", []string{"qwen: $env:OPENAI_BASE_URL='http://127.0.0.1:8788/v1'; qwen"}},
	}
	for _, tt := range tests {
		find := func(name string) (string, error) {
			if slices.Contains(strings.Fields(tt.found), name) {
				return "/bin/" + name, nil
			}
			return "", errors.New("not found")
		}
		var got, want strings.Builder
		for _, line := range tt.want {
			want.WriteString("imagebreaker: " + line + "\n")
		}
		hintAgents(&got, "http://127.0.0.1:8788", tt.goos, find)
		if got.String() != want.String() {
			t.Errorf("%s on %s:\n%swant\n%s", tt.found, tt.goos, &got, &want)
		}
	}
}

// TestHintsAreFew: however many agents there are.
func TestHintsAreFew(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	hintAgents(&b, "http://127.0.0.1:8788", "linux", func(name string) (string, error) { return name, nil })
	if lines := strings.Count(b.String(), "\n"); lines > maxHints || strings.Count(b.String(), "127.0.0.1:8788") != len(hints()) {
		t.Errorf("%d lines for %d agents:\n%s", lines, len(hints()), &b)
	}
}

// TestHintsAreThoseOfTheReadme: what was checked with real clients stands there.
func TestHintsAreThoseOfTheReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hints() {
		hint, _, _ := strings.Cut(h.pointed("http://127.0.0.1:8788", "linux"), " in opencode")
		if !strings.Contains(string(readme), hint) {
			t.Errorf("the README does not say %s", hint)
		}
	}
}

// TestCodexNeedsAKey: with an account's login the hint would lead nowhere.
func TestCodexNeedsAKey(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "codex"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if _, err := findAgent(getter("HOME", dir))("codex"); err == nil {
		t.Error("without a key: found")
	}
	if _, err := findAgent(getter("HOME", dir, "OPENAI_API_KEY", "k"))("codex"); err != nil && runtime.GOOS != "windows" {
		t.Errorf("with a key: %v", err)
	}
}
