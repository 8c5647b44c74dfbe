package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"imagebreaker/internal/config"
)

// TestCompletes asks the program for the words that shells are to offer for the
// last one of a line. FILES: the shell's own names of files, too.
func TestCompletes(t *testing.T) {
	t.Parallel()
	const commands = "completion demo events explain help inspect man run serve version"
	var flags strings.Builder
	for _, s := range config.Settings() {
		flags.WriteString("--" + s.Name + " ")
	}
	for _, tt := range []struct{ line, want string }{
		{"", commands},
		{"ru", "run"},
		{"-", flags.String() + "--help -h"},
		{"run -", flags.String() + "--help -h"},
		{"--mo", "--mode"},
		{"--mode ", "on off dry-run"},
		{"--mode=", "on off dry-run"},
		{"--mode=dr", "dry-run"},
		{"serve --reply rep", "repair"},
		{"run --websocket ", "refuse tunnel"},
		{"run --preflight=", "on off"},
		{"--downgrade-status ", "400 422"},
		{"run --events a", "FILES"},
		{"--rules ", "FILES"},
		{"--state ", "FILES"},
		{"--capacity ", ""},
		{"--listen ", ""},
		{"--upstream ", ""},
		{"--allow-remote --mode o", "on off"},
		{"run ", ""},
		{"run c", ""},
		{"run -- sh ", "FILES"},
		{"run -- sh --mo", "FILES"},
		{"inspect a", "FILES"},
		{"inspect a ", "FILES"},
		{"inspect --j", "--json"},
		{"explain --s", "--status"},
		{"explain --status ", ""},
		{"explain --content-type ", ""},
		{"explain b", "FILES"},
		{"completion ", "bash fish powershell zsh"},
		{"completion z", "zsh"},
		{"completion zsh ", ""},
		{"events s", "stats"},
		{"events --fol", "--follow"},
		{"events stats --fol", ""},
		{"events --event prob", "probed"},
		{"events --since ", ""},
		{"events stats --events b", "FILES"},
		{"version ", ""},
		{"version --", "--help"},
		{"demo ", ""},
		{"man ", ""},
		{"help ", commands},
		{"help events ", "stats"},
		{"nonsense ", ""},
	} {
		typed := strings.Split(tt.line, " ")
		answer := call("", append([]string{"__completeNoDesc"}, typed...)...)
		if got := offered(answer.stdout, typed[len(typed)-1]); answer.code != exitOK || got != tt.want {
			t.Errorf("%q: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// offered is what a shell makes of an answer: it leaves out what does not go on
// from what was typed.
func offered(answer, typed string) string {
	words, directive, _ := strings.Cut(strings.TrimSpace("\n"+answer), ":")
	if _, value, ok := strings.Cut(typed, "="); ok {
		typed = value
	}
	var out []string
	for w := range strings.FieldsSeq(words) {
		if strings.HasPrefix(w, typed) {
			out = append(out, w)
		}
	}
	if directive == "0" {
		out = append(out, "FILES")
	}
	return strings.Join(out, " ")
}

// withClaude is a folder of programs, with an agent.
func withClaude(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// bashAsks stands for the package bash-completion and for the line editor. It
// prints the words, and FILES where bash would complete names of files.
const bashAsks = `
_init_completion() { words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]}; }
type() { echo builtin; }
compopt() { [[ $* != '+o default' ]] || files=; }
ask() {
	COMP_WORDS=(imagebreaker "$@") COMP_CWORD=$# COMP_TYPE=37 files=FILES
	__start_imagebreaker
	echo ${COMPREPLY[*]} $files
}
`

// TestBashCompletes asks a real bash.
func TestBashCompletes(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	tests := []struct{ line, want string }{
		{"--mode ", "on off dry-run"},
		{"serve --mode=dr", "dry-run"},
		{"run --events a", "FILES"},
		{"--capacity ", ""},
		{"run -- c", "claude FILES"},
		{"run --mode off -- claude ", "FILES"},
		{"version ", ""},
	}
	var script strings.Builder
	script.WriteString(call("", "completion", "bash").stdout + bashAsks)
	for _, tt := range tests {
		fmt.Fprintf(&script, "ask '%s'\n", strings.ReplaceAll(tt.line, " ", "' '"))
	}
	answers := strings.Split(runShell(t, script.String(), bash, "--norc", "--noprofile"), "\n")
	for i, tt := range tests {
		if got := answers[i]; got != tt.want {
			t.Errorf("%q: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// TestFishCompletes asks a real fish, which can be asked without a terminal.
func TestFishCompletes(t *testing.T) {
	t.Parallel()
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("no fish")
	}
	tests := []struct{ line, want string }{
		{"ru", "run"},
		{"--mode ", "dry-run off on"},
		{"run --websocket=", "--websocket=refuse --websocket=tunnel"},
		{"inspect --j", "--json"},
		{"inspect b", "b.json"},
		{"run --events b", "b.json"},
		{"--capacity b", ""},
		{"completion ", "bash fish powershell zsh"},
		{"version b", ""},
	}
	for _, tt := range tests {
		script := call("", "completion", "fish").stdout + "complete -C 'imagebreaker " + tt.line + "'\n"
		var got []string
		for line := range strings.Lines(runShell(t, script, fish, "--no-config")) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// TestShellsReadTheirScripts checks no more than the syntax.
func TestShellsReadTheirScripts(t *testing.T) {
	t.Parallel()
	for shell, args := range map[string][]string{
		"zsh": {"-f", "-n"}, "bash": {"-n"}, "fish": {"--no-execute"}, "pwsh": {"-NoProfile", "-Command", "-"},
	} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		name := strings.Replace(shell, "pwsh", "powershell", 1)
		runShell(t, call("", "completion", name).stdout, path, args...)
	}
}

// runShell runs a script from standard input, among two files, and returns what
// it prints.
func runShell(t *testing.T, script, shell string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a picture.png", "b.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(shell, args...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(script), &errs
	cmd.Env = append(os.Environ(), "HOME="+dir, "PATH="+withClaude(t)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%s: %v, stderr %s", shell, err, &errs)
	}
	return string(out)
}

func TestCompletionMistakes(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"completion", "completion tcsh", "completion bash zsh", "completion bash --no-such-flag", "man bash"} {
		if got := call("", strings.Fields(line)...); !got.isMistake("imagebreaker: ") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", line, got.code, got.stdout, got.stderr)
		}
	}
}
