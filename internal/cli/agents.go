package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imagebreaker/internal/config"
)

// programName is the child's name without folder and ending.
func programName(child []string) string {
	if len(child) == 0 {
		return ""
	}
	name := filepath.Base(child[0])
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// fitAgent makes up for what an agent does not read from the environment, and
// says in a line what the user would not expect.
func fitAgent(c config.Config, env Env, child, vars []string) (args, childVars []string) {
	args = child[1:]
	switch programName(child) {
	case "codex":
		args = codexArgs(env, args, vars)
	case "gemini":
		vars = append(vars, geminiLogin(c, env.Getenv)...)
	case "pi", "cn", "cline":
		fmt.Fprintf(env.Stderr, "imagebreaker: %s finds most APIs by its own settings: they must name this address, which --listen can fix (docs/clients.md)\n", programName(child))
	}
	if isOn(env.Getenv("CLAUDE_CODE_USE_BEDROCK")) && !passes("bedrock", child, env.Getenv) {
		fmt.Fprintln(env.Stderr, "imagebreaker: Bedrock is left alone: without AWS_BEARER_TOKEN_BEDROCK its requests are signed for the address that they go to")
	}
	return args, vars
}

// codexArgs tell Codex the address as an override: it reads no variable for its
// built-in provider's.
func codexArgs(env Env, args, vars []string) []string {
	if !codexHasKey(env.Getenv) {
		fmt.Fprintln(env.Stderr, "imagebreaker: codex is left alone: an account's token is not for another address, and there is no API key")
		return args
	}
	i := slices.IndexFunc(vars, func(v string) bool { return strings.HasPrefix(v, "OPENAI_BASE_URL=") })
	_, base, _ := strings.Cut(vars[i], "=")
	fmt.Fprintf(env.Stderr, "imagebreaker: codex gets -c openai_base_url=%q\n", base)
	return append([]string{"-c", fmt.Sprintf("openai_base_url=%q", base)}, args...)
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

// geminiLogin keeps Gemini CLI's choice of a login. Without one in its settings
// it takes GEMINI_API_KEY for it; but once GOOGLE_GEMINI_BASE_URL is set it takes
// "gateway", which it then refuses (0.61.0). The defaults of the system are
// what all of its settings go before.
func geminiLogin(c config.Config, getenv func(string) string) []string {
	const name = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"
	chosen := getenv("GOOGLE_GEMINI_BASE_URL") + getenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH") + getenv(name)
	if getenv("GEMINI_API_KEY") == "" || chosen != "" || c.Events == "" ||
		getenv("GOOGLE_GENAI_USE_GCA") == "true" || getenv("GOOGLE_GENAI_USE_VERTEXAI") == "true" {
		return nil
	}
	for _, dir := range []string{"/etc/gemini-cli", "/Library/Application Support/GeminiCli", `C:\ProgramData\gemini-cli`} {
		if _, err := os.Stat(filepath.Join(dir, "system-defaults.json")); err == nil {
			return nil
		}
	}
	file, err := filepath.Abs(filepath.Join(filepath.Dir(c.Events), "gemini-defaults.json"))
	if err == nil {
		err = os.WriteFile(file, []byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`+"\n"), 0o600)
	}
	if err != nil {
		return nil // no worse than without
	}
	return []string{name + "=" + file}
}
