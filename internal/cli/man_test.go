package cli

import (
	"os/exec"
	"strings"
	"testing"

	"imagebreaker/internal/config"
)

// TestManTellsAll: every command, setting, variable and flag.
func TestManTellsAll(t *testing.T) {
	t.Parallel()
	page := call("", "man")
	if page.code != exitOK || page.stderr != "" {
		t.Fatalf("exit %d, stderr %q", page.code, page.stderr)
	}
	for _, c := range shownCommands() {
		if !strings.Contains(page.stdout, "\n.TP\n\\fB"+c.name+"\\fR") || !strings.Contains(page.stdout, "\n"+roff(c.does)+"\n") {
			t.Errorf("it does not tell of %s", c.name)
		}
		for _, f := range c.flags {
			if !strings.Contains(page.stdout, roff("--"+f.name)) || !strings.Contains(page.stdout, roff(f.help)) {
				t.Errorf("it does not tell of --%s of %s", f.name, c.name)
			}
		}
	}
	for _, s := range config.Settings() {
		if !strings.Contains(page.stdout, "\n"+roff(s.Usage)+".\nDefault: "+roff(s.Default)+".\nVariable: "+roff(s.Variable())+".\n") {
			t.Errorf("it does not tell all of --%s", s.Name)
		}
	}
}

// TestManIsClean asks the formatters that are there.
func TestManIsClean(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	manPage(&page, "2026-11-30", "v1.2.3", shownCommands())
	for _, line := range []string{"groff -ww -man -Tutf8 -z", "mandoc -Tlint -Wwarning"} {
		args := strings.Fields(line)
		path, err := exec.LookPath(args[0])
		if err != nil {
			continue
		}
		cmd := exec.Command(path, args[1:]...)
		cmd.Stdin = strings.NewReader(page.String())
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

func TestRoff(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"plain words", "plain words"},
		{"--mode", `\-\-mode`},
		{`C:\dir`, `C:\edir`},
		{".TH at the start", `\&.TH at the start`},
		{"'quoted", `\&\(aqquoted`},
		{`say "x"`, `say \(dqx\(dq`},
		{"CMD…", `CMD\[u2026]`},
		{"", ""},
	}
	for _, tt := range tests {
		if got := roff(tt.in); got != tt.want {
			t.Errorf("roff(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestManHasNoStrayRequests: a line that begins with a dot is one of the page's
// own macros, whatever the help's lines begin with.
func TestManHasNoStrayRequests(t *testing.T) {
	t.Parallel()
	odd := shownCommand{command: command{name: ".x", args: "'y", does: ".z"}, help: ".de\n'tl\n"}
	var page strings.Builder
	manPage(&page, "", "devel", []shownCommand{odd})
	known := " .TH .SH .SS .TP .br .nf .fi "
	for line := range strings.Lines(page.String()) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(word, "'") || strings.HasPrefix(word, ".") && !strings.Contains(known, " "+word+" ") {
			t.Errorf("stray request %q", line)
		}
	}
}
