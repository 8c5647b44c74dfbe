package cli

import (
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"imagebreaker/internal/config"
)

// tree is the tree of all commands.
func tree() *cobra.Command { return newRoot(Env{}) }

// line is the words that call the command, without the program.
func line(c *cobra.Command) string {
	return strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), "imagebreaker"))
}

func TestHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	help := call("", "help")
	if help.code != exitOK || help.stderr != "" {
		t.Errorf("exit %d, stderr %q", help.code, help.stderr)
	}
	for _, c := range tree().Commands() {
		if !regexp.MustCompile(`(?m)^  ` + c.Name() + ` +` + regexp.QuoteMeta(c.Short) + `$`).MatchString(help.stdout) {
			t.Errorf("the help does not tell of %s", c.Name())
		}
		if c.GroupID == "" || !c.Runnable() {
			t.Errorf("%s has no group, or does nothing", c.Name())
		}
	}
}

// TestHelpNamesEverySetting: with its variable and its default.
func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "serve", "run"} {
		help := call("", strings.Fields("help "+command)...).stdout
		for _, s := range config.Settings() {
			if !regexp.MustCompile(`(?m)^      --` + s.Name + `[ [].* ` + regexp.QuoteMeta(s.Usage+" ["+s.Variable()+"] (default "+s.Default+")") + `$`).MatchString(help) {
				t.Errorf("the help of %q does not tell all of %s", command, s.Name)
			}
		}
	}
}

// TestWaysToAskForHelp: each prints the same, whatever stands beside it.
func TestWaysToAskForHelp(t *testing.T) {
	t.Parallel()
	want := call("", "help")
	for _, line := range []string{"--help", "-h", "-help", "--mode sometimes --help", "--mode off -h"} {
		if got := call("", strings.Fields(line)...); got != want {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", line, got.code, got.stdout, got.stderr)
		}
	}
	for _, c := range walk(tree())[1:] {
		c.InitDefaultHelpFlag() // it may show in the line
		want := call("", strings.Fields("help "+line(c))...)
		if want.code != exitOK || want.stderr != "" || !strings.Contains(want.stdout, "\n  "+c.UseLine()+"\n") {
			t.Errorf("help %s: exit %d, stdout %q, stderr %q", line(c), want.code, want.stdout, want.stderr)
		}
		for _, more := range []string{" --help", " -h", " x --help", " -help -- y"} {
			if got := call("", strings.Fields(line(c)+more)...); got != want {
				t.Errorf("%s%s: exit %d, stdout %q, stderr %q", line(c), more, got.code, got.stdout, got.stderr)
			}
		}
	}
	for _, line := range []string{"inspect x --json --help", "explain --status 500 -h x y", "serve --mode sometimes --help"} {
		command, _, _ := strings.Cut(line, " ")
		if got := call("", strings.Fields(line)...); got != call("", "help", command) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", line, got.code, got.stdout, got.stderr)
		}
	}
}

// TestDidYouMean: a command with a slip in it is named.
func TestDidYouMean(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"evnts --follow": "did you mean events?", "expl": "did you mean explain?", "e": "did you mean events or explain?",
		"help inspct": "did you mean inspect?", "Serve": "did you mean serve?", "nonsense --help": "the commands are completion, demo, ",
	} {
		if got := call("", strings.Fields(typed)...); !got.isMistake("imagebreaker: ", "unknown command ", want) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", typed, got.code, got.stdout, got.stderr)
		}
	}
	if got := call("", ""); !got.isMistake(`unknown command ""; the commands are `) {
		t.Errorf("an empty command: exit %d, stderr %q", got.code, got.stderr)
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
		{"help", "x\ny"},
		{"run", "x\ny"},
		{"-x\ny"},
		{"demo", "x\ny"},
	}
	for _, args := range tests {
		if got := call("", args...); !got.isMistake("imagebreaker: ") || strings.Contains(got.stderr, "\r") {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, got.code, got.stdout, got.stderr)
		}
	}
}

// TestMistakesTellNoSecrets: not even those of flags that are none.
func TestMistakesTellNoSecrets(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{
		"--upstream=https://user:hunter2@example.test", "--upstrem=https://user:hunter2@example.test", "-upstrem=hunter2",
		"-u=hunter2", "---upstream=hunter2", "--=hunter2", "-=hunter2", "--allow-remote=https://user:hunter2@example.test",
	} {
		if got := call("", flag); !got.isMistake("imagebreaker: ") || strings.Contains(got.stderr, "hunter2") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", flag, got.code, got.stdout, got.stderr)
		}
	}
}

// TestOneDash: what package flag took is still taken.
func TestOneDash(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"":                                "",
		"-mode off":                       "--mode off",
		"serve -mode=off -preflight":      "serve --mode=off --preflight",
		"events stats -json -since 2h":    "events stats --json --since 2h",
		"--events -mode -mode off":        "--events -mode --mode off",
		"--events=x -mode off":            "--events=x --mode off",
		"-preflight -mode off":            "--preflight --mode off",
		"run -mode off -- claude -mode x": "run --mode off -- claude -mode x",
		"-h -x -help ---mode - --":        "-h -x --help ---mode - --",
		"inspect mode -json":              "inspect mode --json",
	} {
		if got := strings.Join(normalizeFlags(tree(), strings.Fields(typed)), " "); got != want {
			t.Errorf("%q becomes %q, want %q", typed, got, want)
		}
	}
	if got := call("", "-mode", "maybe"); !got.isMistake(`--mode "maybe"`) {
		t.Errorf("exit %d, stderr %q", got.code, got.stderr)
	}
}

// TestFlagsStandAnywhere: before and behind operands, but not behind --. The last
// of several counts.
func TestFlagsStandAnywhere(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]struct {
		json  bool
		files string
	}{
		"a":                  {false, "a"},
		"a b c":              {false, "a b c"},
		"--json a":           {true, "a"},
		"a --json":           {true, "a"},
		"a -json b":          {true, "a b"},
		"a --json=false":     {false, "a"},
		"--json=0 --json":    {true, ""},
		"--json --json=0":    {false, ""},
		"- --json -":         {true, "- -"},
		"-- --json":          {false, "--json"},
		"a -- --json b":      {false, "a --json b"},
		"a --json -- b -- c": {true, "a b -- c"},
		"--":                 {false, ""},
	} {
		var json bool
		var files []string
		root := tree()
		inspect, _, _ := root.Find([]string{"inspect"})
		inspect.RunE = func(cmd *cobra.Command, args []string) (err error) {
			files = args
			json, err = cmd.Flags().GetBool("json")
			return err
		}
		root.SetArgs(normalizeFlags(root, append([]string{"inspect"}, strings.Fields(typed)...)))
		if err := root.Execute(); err != nil || json != want.json || strings.Join(files, " ") != want.files {
			t.Errorf("%q: json %t, files %q, %v", typed, json, files, err)
		}
	}
	for typed, want := range map[string]string{
		"inspect --x": "unknown flag --x", "inspect a --x": "unknown flag --x", "inspect -x": "unknown flag -x", "inspect ---": "bad flag ---",
		"explain --status": "--status", "explain a --status x b": `--status "x"`,
	} {
		if got := call("", strings.Fields(typed)...); !got.isMistake(want, "--help") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", typed, got.code, got.stdout, got.stderr)
		}
	}
}

// TestSwitches: the flag alone turns a switch on, and its last value counts.
func TestSwitches(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"--allow-remote":                             "",
		"--allow-remote=on":                          "",
		"--allow-remote=off --allow-remote":          "",
		"--allow-remote --mode off":                  "",
		"--allow-remote=off":                         "use a loopback address",
		"--allow-remote --allow-remote=off":          "use a loopback address",
		"--allow-remote off":                         `unexpected argument "off"`,
		"--mode off --mode maybe":                    `--mode "maybe"`,
		"--mode maybe --mode off --allow-remote=yes": `--allow-remote "yes": use on or off`,
	} {
		args := strings.Fields("--mode off --listen 0.0.0.0:0 " + typed)
		var errs strings.Builder
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		code := Run(ended, Env{Args: args, Getenv: func(string) string { return "" }, Stdout: io.Discard, Stderr: &errs})
		if (code == exitOK) != (want == "") || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit %d, %q", typed, code, errs.String())
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
