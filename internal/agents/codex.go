package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fitCodex tells Codex the address as an override: it reads no variable for its
// built-in provider's.
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

// codexHasKey tells whether Codex will use an API key. A login of its own goes
// before OPENAI_API_KEY, and CODEX_API_KEY before both.
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
