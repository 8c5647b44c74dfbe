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

// TestBashCompletes asks a real bash. A line is given as bash has split it, and
// a word that is being begun is ”.
func TestBashCompletes(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	flags := "--help"
	for _, s := range config.Settings() {
		flags += " --" + s.Name
	}
	tests := []struct{ line, want string }{
		{"''", strings.Join(commandWords(shownCommands()), " ")},
		{"ru", "run"},
		{"-", flags},
		{"run -", flags},
		{"--mo", "--mode"},
		{"--mode ''", "on off dry-run"},
		{"--mode =", "on off dry-run"},
		{"--mode = dr", "dry-run"},
		{"serve --reply rep", "repair"},
		{"run --websocket ''", "refuse tunnel"},
		{"run --events a", "a picture.png"},
		{"--capacity ''", ""},
		{"--allow-remote --mode o", "on off"},
		{"run -- sh ''", "a picture.png b.json"},
		{"run -- _imagebreaker_w", "_imagebreaker_words"},
		{"run --mode off -- _imagebreaker_w", "_imagebreaker_words"},
		{"run ''", ""},
		{"inspect a", "a picture.png"},
		{"inspect --j", "--json"},
		{"explain --s", "--status"},
		{"explain --status ''", ""},
		{"explain b", "b.json"},
		{"completion ''", "bash zsh fish"},
		{"completion z", "zsh"},
		{"events s", "stats"},
		{"events --fol", "--follow"},
		{"events stats --events b", "b.json"},
		{"version ''", ""},
		{"version -", ""},
		{"help ''", ""},
	}
	var script strings.Builder
	script.WriteString(call("", "completion", "bash").stdout)
	for _, tt := range tests {
		fmt.Fprintf(&script, "COMP_WORDS=(imagebreaker %s) COMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_imagebreaker\necho \"${COMPREPLY[*]}\"\n", tt.line)
	}
	answers := strings.Split(runShell(t, script.String(), bash, "--norc", "--noprofile", "-u"), "\n")
	for i, tt := range tests {
		if got := answers[i]; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
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
		{"completion ", "bash fish zsh"},
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

// TestZshReadsItsScript checks no more than the syntax.
func TestZshReadsItsScript(t *testing.T) {
	t.Parallel()
	zsh, err := exec.LookPath("zsh")
	if err != nil {
		t.Skip("no zsh")
	}
	runShell(t, call("", "completion", "zsh").stdout, zsh, "-f", "-n")
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
	cmd.Env = append(os.Environ(), "HOME="+dir)
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%s: %v, stderr %s", shell, err, &errs)
	}
	return string(out)
}

// TestScriptsNameEverything: all commands, settings and words.
func TestScriptsNameEverything(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script := call("", "completion", shell).stdout
		for _, c := range commands() {
			if !strings.Contains(script, c.name) {
				t.Errorf("%s: no %s", shell, c.name)
			}
		}
		for _, s := range config.Settings() {
			flag := map[string]string{"fish": "-l " + s.Name}[shell]
			if flag == "" {
				flag = "--" + s.Name
			}
			if !strings.Contains(script, flag) || !strings.Contains(script, strings.Join(s.Words, " ")) {
				t.Errorf("%s: not all of %s", shell, s.Name)
			}
		}
	}
}

func TestCompletionMistakes(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"completion", "completion tcsh", "completion bash zsh", "man bash"} {
		if got := call("", strings.Fields(line)...); !got.isMistake("imagebreaker: ") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", line, got.code, got.stdout, got.stderr)
		}
	}
}

func TestFlagsIn(t *testing.T) {
	t.Parallel()
	got := flagsIn("imagebreaker x [--json]\n\nText --not a flag.\n\n  --json       print objects\n  --since T    from then on\n  --log FILE   another log\n\n--\n")
	want := []string{"json||print objects", "since|T|from then on", "log|FILE|another log"}
	var shown []string
	for _, f := range got {
		shown = append(shown, f.name+"|"+f.value+"|"+f.help)
	}
	if !slices.Equal(shown, want) {
		t.Errorf("flags %q, want %q", shown, want)
	}
}
