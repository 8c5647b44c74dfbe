package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fitCodex passes the address to Codex as an argument: it reads no variable for the
// address of its built-in provider.
func fitCodex(c Child, l *Launch, _ string) {
	if !codexHasKey(c.Getenv) {
		l.note("codex is left alone: an account's token is not for another address, and there is no API key")
		return
	}
	for _, v := range l.Env {
		if base, ok := strings.CutPrefix(v, "OPENAI_BASE_URL="); ok {
			override := fmt.Sprintf("openai_base_url=%q", base)
			l.note("codex gets -c " + override)
			l.Args = append([]string{"-c", override}, l.Args...)
		}
	}
}

// codexHasKey reports whether Codex will use an API key. Its login takes precedence
// over OPENAI_API_KEY, and CODEX_API_KEY over both.
func codexHasKey(getenv func(string) string) bool {
	if getenv("CODEX_API_KEY") != "" {
		return true
	}
	dir := getenv("CODEX_HOME")
	if dir == "" {
		dir = filepath.Join(getenv("HOME"), ".codex")
	}
	var login struct {
		Key    string          `json:"OPENAI_API_KEY"`
		Tokens json.RawMessage `json:"tokens"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "auth.json"))
	if err != nil || json.Unmarshal(data, &login) != nil {
		return getenv("OPENAI_API_KEY") != ""
	}
	return login.Key != "" && (len(login.Tokens) == 0 || string(login.Tokens) == "null")
}

// fitGemini keeps the login that Gemini CLI would choose. Without one in its settings
// it uses GEMINI_API_KEY, but once GOOGLE_GEMINI_BASE_URL is set it chooses "gateway",
// which it then rejects (0.61.0). All of its settings override the system defaults
// that are written here.
func fitGemini(c Child, l *Launch, folder string) {
	const name = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"
	chosen := c.Getenv("GOOGLE_GEMINI_BASE_URL") + c.Getenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH") + c.Getenv(name)
	if c.Getenv("GEMINI_API_KEY") == "" || chosen != "" || folder == "" || geminiHasDefaults() ||
		c.Getenv("GOOGLE_GENAI_USE_GCA") == "true" || c.Getenv("GOOGLE_GENAI_USE_VERTEXAI") == "true" {
		return
	}
	file, err := filepath.Abs(filepath.Join(folder, "gemini-defaults.json"))
	if err == nil {
		err = os.WriteFile(file, []byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`+"\n"), 0o600)
	}
	if err == nil { // otherwise nothing is lost
		l.Env = append(l.Env, name+"="+file)
	}
}

// geminiHasDefaults reports whether this machine has system defaults already.
func geminiHasDefaults() bool {
	for _, dir := range []string{"/etc/gemini-cli", "/Library/Application Support/GeminiCli", `C:\ProgramData\gemini-cli`} {
		if _, err := os.Stat(filepath.Join(dir, "system-defaults.json")); err == nil {
			return true
		}
	}
	return false
}

// fitOwnSettings is for agents that read most addresses from their own settings.
func fitOwnSettings(c Child, l *Launch, _ string) {
	l.note(c.name() + " finds most APIs by its own settings: they must name this address, which --listen can fix (docs/clients.md)")
}
