// Package agents is what is known of the clients of LLM APIs: how each of them is
// told an API's address, and what it needs beside. It runs nothing.
package agents

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// agent is one client.
type agent struct {
	name string // of its program
	// variable is what a hint points it to the proxy with. Empty: see how.
	variable string
	how      string // a hint in words, with {} for the proxy's URL; empty: there is none
	// versioned are variables in which it expects the API's version, and other
	// clients do not.
	versioned []string
	// fit makes up for what it does not read from the environment. Nil: nothing.
	fit func(c Child, l *Launch, folder string)
}

// known lists the agents. Those with no more than a name need no more than the
// variables.
func known() []agent {
	return []agent{
		{name: "claude", variable: "ANTHROPIC_BASE_URL"},
		{name: "codex", how: `codex -c 'openai_base_url="{}/v1"'`, fit: fitCodex},
		{name: "gemini", variable: "GOOGLE_GEMINI_BASE_URL", fit: fitGemini},
		// The AI SDK adds no version, where Anthropic's own does.
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

// Names are the programs of the known agents.
func Names() []string {
	var names []string
	for _, a := range known() {
		names = append(names, a.name)
	}
	return names
}

// named returns the agent of that name, and the zero agent for a stranger.
func named(name string) agent {
	for _, a := range known() {
		if a.name == name {
			return a
		}
	}
	return agent{}
}

// Child is a command that is to find the proxy where it would find its APIs.
type Child struct {
	Words  []string // the program and its arguments
	Getenv func(string) string
}

// Launch is how to start a child.
type Launch struct {
	Args  []string // without the program
	Env   []string // NAME=value, to be added to the present environment
	Notes []string // what the user would not expect, a line each
}

func (l *Launch) note(line string) { l.Notes = append(l.Notes, line) }

// Launch points the child to the proxy, at the address that it has for a provider.
// What an agent needs as a file goes into the folder; empty: there is none.
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

// name is the program without its folder and ending.
func (c Child) name() string {
	name := filepath.Base(c.Words[0])
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// isOn reads a switch of an agent's.
func isOn(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(value))
}
