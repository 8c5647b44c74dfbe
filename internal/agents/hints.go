package agents

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// hint returns how to point the agent to the proxy at url; "" if there is no hint.
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

// Find returns a function that looks an agent up in the PATH. It does not find a
// Codex that is logged in with an account, whose token is not for other addresses.
func Find(getenv func(string) string) func(name string) (string, error) {
	return func(name string) (string, error) {
		if name == "codex" && !codexHasKey(getenv) {
			return "", exec.ErrNotFound
		}
		return exec.LookPath(name)
	}
}

// maxHints limits the lines that Hints returns.
const maxHints = 3

// Hints returns a few lines on how to point the agents that find finds to the
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
