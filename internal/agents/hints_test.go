package agents

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestHints(t *testing.T) {
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
		if got := Hints("http://127.0.0.1:8788", tt.goos, find); !slices.Equal(got, tt.want) {
			t.Errorf("%s on %s: %q, want %q", tt.found, tt.goos, got, tt.want)
		}
	}
}

// TestHintsAreFew: however many agents there are.
func TestHintsAreFew(t *testing.T) {
	t.Parallel()
	lines := Hints("http://127.0.0.1:8788", "linux", func(name string) (string, error) { return name, nil })
	if n := strings.Count(strings.Join(lines, "\n"), "127.0.0.1:8788"); len(lines) > maxHints || n != 5 {
		t.Errorf("%d lines for %d agents: %q", len(lines), n, lines)
	}
}

// TestHintsAreThoseOfTheReadme: what was checked with real clients stands there.
func TestHintsAreThoseOfTheReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range known() {
		hint, _, _ := strings.Cut(a.hint("http://127.0.0.1:8788", "linux"), " in opencode")
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
	if _, err := Find(getter("HOME", dir))("codex"); err == nil {
		t.Error("without a key: found")
	}
	if _, err := Find(getter("HOME", dir, "OPENAI_API_KEY", "k"))("codex"); err != nil && runtime.GOOS != "windows" {
		t.Errorf("with a key: %v", err)
	}
}
