package agents

import (
	"os"
	"path/filepath"
)

// fitGemini keeps Gemini CLI's choice of a login. Without one in its settings it
// takes GEMINI_API_KEY for it; but once GOOGLE_GEMINI_BASE_URL is set it takes
// "gateway", which it then refuses (0.61.0). The system's defaults are what all of
// its settings go before.
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
	if err == nil { // else no worse than without
		l.Env = append(l.Env, name+"="+file)
	}
}

// geminiHasDefaults tells whether this machine has defaults of its own.
func geminiHasDefaults() bool {
	for _, dir := range []string{"/etc/gemini-cli", "/Library/Application Support/GeminiCli", `C:\ProgramData\gemini-cli`} {
		if _, err := os.Stat(filepath.Join(dir, "system-defaults.json")); err == nil {
			return true
		}
	}
	return false
}
