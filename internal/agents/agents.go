// Package agents knows the clients of LLM APIs: how each of them is pointed to an
// address, and what else it needs. It does not run them.
package agents

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// agent is a known client.
type agent struct {
	name string // of its program
	// variable points it to the proxy in hints. If it is empty, how does.
	variable string
	how      string // a hint in words, with {} for the proxy's URL; empty: no hint
	// versioned are the variables in which it expects the version of the API,
	// unlike other clients.
	versioned []string
	// fit changes the launch where the variables do not suffice. It may be nil.
	fit func(c Child, l *Launch, folder string)
}

// known returns all known agents. For those with a name only, the variables suffice.
func known() []agent {
	return []agent{
		{name: "claude", variable: "ANTHROPIC_BASE_URL"},
		{name: "codex", how: `codex -c 'openai_base_url="{}/v1"'`, fit: fitCodex},
		{name: "gemini", variable: "GOOGLE_GEMINI_BASE_URL", fit: fitGemini},
		// The AI SDK expects the version in the base URL, Anthropic's own SDK does not.
		{name: "opencode", how: `"baseURL": "{}/v1" in opencode.json`, versioned: []string{"ANTHROPIC_BASE_URL"}},
		{name: "qwen", variable: "OPENAI_BASE_URL"},
		{name: "pi", fit: fitOwnSettings},
		{name: "cn", fit: fitOwnSettings},
		{name: "cline", fit: fitOwnSettings},
		{name: "aider"},
		{name: "goose"},
		{name: "crush"},
		{name: "ollama"},
	}
}

// Names returns the programs of the known agents.
func Names() []string {
	var names []string
	for _, a := range known() {
		names = append(names, a.name)
	}
	return names
}

// named returns the agent of that name; the zero agent if it is unknown.
func named(name string) agent {
	for _, a := range known() {
		if a.name == name {
			return a
		}
	}
	return agent{}
}

// Child is a command whose clients shall use the proxy.
type Child struct {
	Words  []string // the program and its arguments
	Getenv func(string) string
}

// Launch is how to start a child.
type Launch struct {
	Args  []string // without the program
	Env   []string // NAME=value, in addition to the current environment
	Notes []string // remarks for the user, one line each
}

func (l *Launch) note(line string) { l.Notes = append(l.Notes, line) }

// Launch returns how to start the child so that it uses the proxy, which has an
// address for each provider. Files that an agent needs are created in the folder;
// if that is "", there are none.
func (c Child) Launch(address func(provider string) (*url.URL, error), folder string) (Launch, error) {
	env, err := c.environ(address)
	if err != nil {
		return Launch{}, err
	}
	l := Launch{Args: c.Words[1:], Env: env}
	if fit := named(c.name()).fit; fit != nil {
		fit(c, &l, folder)
	}
	if isOn(c.Getenv("CLAUDE_CODE_USE_BEDROCK")) && !c.passes("bedrock") {
		l.note("Bedrock is left alone: without AWS_BEARER_TOKEN_BEDROCK its requests are signed for the address that they go to")
	}
	return l, nil
}

// name returns the program without folder and extension.
func (c Child) name() string {
	name := filepath.Base(c.Words[0])
	for _, ext := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// isOn parses a variable by which agents switch something on.
func isOn(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(value))
}
