package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"imagebreaker/internal/config"
)

func TestHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	help := call("", "help")
	if help.code != exitOK || help.stderr != "" {
		t.Errorf("exit %d, stderr %q", help.code, help.stderr)
	}
	seen := map[string]bool{}
	for _, c := range commands() {
		if c.name == "" || c.does == "" || c.run == nil || seen[c.name] {
			t.Errorf("%+v lacks something, or is there twice", c)
		}
		seen[c.name] = true
		if !strings.Contains(help.stdout, "\n  "+strings.TrimSpace(c.name+" "+c.args)+" ") || !strings.Contains(help.stdout, c.does+"\n") {
			t.Errorf("the help does not tell of %s", c.name)
		}
	}
}

// TestWaysToAskForHelp: each prints the same, whatever stands beside it.
func TestWaysToAskForHelp(t *testing.T) {
	t.Parallel()
	want := call("", "help")
	for _, line := range []string{"--help", "-h", "-help", "serve --help", "serve -h", "--mode sometimes --help"} {
		if got := call("", strings.Fields(line)...); got != want {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", line, got.code, got.stdout, got.stderr)
		}
	}
	for _, line := range []string{"inspect --help", "inspect -h", "inspect x --json --help", "explain --help", "explain --status 500 -h x y"} {
		command, _, _ := strings.Cut(line, " ")
		if got := call("", strings.Fields(line)...); got.code != exitOK || got.stderr != "" || !strings.HasPrefix(got.stdout, "imagebreaker "+command+" ") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", line, got.code, got.stdout, got.stderr)
		}
	}
}

// TestMistakesAreOneLine: even if what was typed has more.
func TestMistakesAreOneLine(t *testing.T) {
	t.Parallel()
	tests := [][]string{
		{"no\nsuch\r\ncommand"},
		{"--no\nsuch-flag"},
		{"--mode", "o\nn"},
		{"--mode", "off", "stray\nword"},
		{"--listen", "127.0.0.1:0", "--events", "/\n/"},
		{"inspect", "--no\nsuch-flag"},
		{"explain", "--status", "4\n0", "x"},
		{"explain", "no\nsuch\nfile"},
		{"version", "x\ny"},
		{"demo", "x\ny"},
	}
	for _, args := range tests {
		if got := call("", args...); !got.isMistake("imagebreaker: ") || strings.Contains(got.stderr, "\r") {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, got.code, got.stdout, got.stderr)
		}
	}
}

// TestHelpNamesEverySetting: with its variable and its default.
func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	help := call("", "help").stdout
	for _, s := range config.Settings() {
		if !strings.Contains(help, "  --"+s.Name+" ") || !strings.Contains(help, " "+s.Variable()+" ") || !strings.Contains(help, s.Usage+" (default "+s.Default+")\n") {
			t.Errorf("the help does not tell all of %s", s.Name)
		}
	}
}

// TestEndedContext: a context that ends is as good as a signal.
func TestEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	code := Run(ctx, Env{Args: strings.Fields("--mode off --listen 127.0.0.1:0"), Getenv: func(string) string { return "" }, Stdout: &out, Stderr: io.Discard})
	if code != exitOK || !readyLine.MatchString(out.String()) {
		t.Errorf("exit %d, stdout %q", code, out.String())
	}
}
