package cli

import (
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// hint is a client that can be pointed to the proxy from a command line.
type hint struct {
	name     string
	variable string // what holds its base URL; empty: see how
	suffix   string // the part of the path that it expects in it
	how      string // else the words for it, with {} for the proxy's URL
}

func hints() []hint {
	return []hint{
		{name: "claude", variable: "ANTHROPIC_BASE_URL"},
		{name: "codex", how: `codex -c 'openai_base_url="{}/v1"'`},
		{name: "gemini", variable: "GOOGLE_GEMINI_BASE_URL"},
		{name: "opencode", how: `"baseURL": "{}/v1" in opencode.json`},
		{name: "qwen", variable: "OPENAI_BASE_URL", suffix: "/v1"},
	}
}

// pointed tells how to point the agent to the proxy at url.
func (h hint) pointed(url, goos string) string {
	if h.variable == "" {
		return strings.ReplaceAll(h.how, "{}", url)
	}
	if goos == "windows" {
		return fmt.Sprintf("$env:%s='%s%s'; %s", h.variable, url, h.suffix, h.name)
	}
	return h.variable + "=" + url + h.suffix + " " + h.name
}

// findAgent looks for a client on the PATH. Codex with an account's login counts
// as none: its token is not for another address.
func findAgent(getenv func(string) string) func(name string) (string, error) {
	return func(name string) (string, error) {
		if name == "codex" && !codexHasKey(getenv) {
			return "", exec.ErrNotFound
		}
		return exec.LookPath(name)
	}
}

// maxHints is how many lines the start may add to a terminal.
const maxHints = 3

// hintAgents tells of each agent that is found how to point it to the proxy.
func hintAgents(w io.Writer, url, goos string, find func(name string) (string, error)) {
	var found []string
	for _, h := range hints() {
		if _, err := find(h.name); err == nil {
			found = append(found, h.name+": "+h.pointed(url, goos))
		}
	}
	perLine := (len(found) + maxHints - 1) / maxHints
	if perLine == 0 {
		return
	}
	for line := range slices.Chunk(found, perLine) {
		fmt.Fprintf(w, "imagebreaker: %s\n", strings.Join(line, "; "))
	}
}
