package agents

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// hint tells how to point the agent to the proxy at url. Empty: there is no hint.
func (a agent) hint(url, goos string) string {
	if a.variable == "" {
		return strings.ReplaceAll(a.how, "{}", url)
	}
	for _, v := range variables {
		if v.name == a.variable {
			url += v.version
		}
	}
	if goos == "windows" {
		return fmt.Sprintf("$env:%s='%s'; %s", a.variable, url, a.name)
	}
	return a.variable + "=" + url + " " + a.name
}

// Find returns a function that looks for an agent on the PATH. Codex with an
// account's login counts as none: its token is not for another address.
func Find(getenv func(string) string) func(name string) (string, error) {
	return func(name string) (string, error) {
		if name == "codex" && !codexHasKey(getenv) {
			return "", exec.ErrNotFound
		}
		return exec.LookPath(name)
	}
}

// maxHints is how many lines of hints there may be.
const maxHints = 3

// Hints tells, in a few lines, how to point the agents that are found to the
// proxy at url.
func Hints(url, goos string, find func(name string) (string, error)) []string {
	var found []string
	for _, a := range known() {
		hint := a.hint(url, goos)
		if hint == "" {
			continue
		}
		if _, err := find(a.name); err == nil {
			found = append(found, a.name+": "+hint)
		}
	}
	if len(found) == 0 {
		return nil
	}
	var lines []string
	for line := range slices.Chunk(found, (len(found)+maxHints-1)/maxHints) {
		lines = append(lines, strings.Join(line, "; "))
	}
	return lines
}
