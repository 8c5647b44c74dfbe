package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"imagebreaker/internal/config"
)

// words are the text of a page, less its macros, escapes and line breaks.
func wordsOf(page string) string {
	var b strings.Builder
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, ".") {
			b.WriteString(line)
		}
	}
	plain := strings.NewReplacer(`\-`, "-", `\&`, "", `\fB`, "", `\fP`, "", `\fR`, "").Replace(b.String())
	return strings.Join(strings.Fields(plain), " ")
}

// TestManTellsAll: every command, setting, variable and flag.
func TestManTellsAll(t *testing.T) {
	t.Parallel()
	page := call("", "man")
	if page.code != exitOK || page.stderr != "" {
		t.Fatalf("exit %d, stderr %q", page.code, page.stderr)
	}
	text := wordsOf(page.stdout)
	for _, c := range walk(tree())[1:] {
		if _, about, ok := strings.Cut(page.stdout, "\n.SS "+c.UseLine()+"\n"); !ok {
			t.Errorf("it does not tell of %s", c.CommandPath())
		} else if !strings.HasPrefix(wordsOf(about), strings.Join(strings.Fields(c.Long), " ")) {
			t.Errorf("it does not tell all of %s: %s", c.CommandPath(), wordsOf(about))
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			usage, _, _ = strings.Cut(usage, " [IMAGEBREAKER")
			if !f.Hidden && (!strings.Contains(text, "--"+f.Name) || !strings.Contains(text, usage)) {
				t.Errorf("it does not tell of --%s of %s", f.Name, c.CommandPath())
			}
		})
	}
	for _, s := range config.Settings() {
		if !strings.Contains(text, s.Usage+". Default: "+s.Default+". Variable: "+s.Variable()+".") {
			t.Errorf("it does not tell all of --%s", s.Name)
		}
	}
}

// TestManIsClean asks the formatters that are there.
func TestManIsClean(t *testing.T) {
	t.Parallel()
	page := md2man.Render(manual(tree(), "2026-11-30", "v1.2.3"))
	for _, line := range []string{"groff -ww -man -Tutf8 -z", "mandoc -Tlint -Wwarning"} {
		args := strings.Fields(line)
		path, err := exec.LookPath(args[0])
		if err != nil {
			continue
		}
		cmd := exec.Command(path, args[1:]...)
		cmd.Stdin = strings.NewReader(string(page))
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

// TestManReads: man shows the page from standard input, with its day and version.
func TestManReads(t *testing.T) {
	t.Parallel()
	man, err := exec.LookPath("man")
	if err != nil {
		t.Skip("no man")
	}
	cmd := exec.Command(man, "-l", "-")
	cmd.Env = append(cmd.Environ(), "MANWIDTH=200", "MANROFFOPT=-c", "LC_ALL=C", "MANPAGER=cat")
	cmd.Stdin = strings.NewReader(string(md2man.Render(manual(tree(), "2026-11-30", "v1.2.3"))))
	out, err := cmd.Output()
	if err != nil {
		t.Skip(err) // a man that has no formatter, or no -l
	}
	for _, want := range []string{"IMAGEBREAKER(1)", "2026-11-30", "imagebreaker v1.2.3", "events stats [flags]", "--max-hold TIME", "IMAGEBREAKER_MAX_HOLD"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in the page:\n%s", want, out)
		}
	}
}

// TestManHasNoStrayRequests: a line that begins with a dot is a macro of the page's
// own, whatever the texts begin with.
func TestManHasNoStrayRequests(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "imagebreaker", Short: ".x", Long: ".de\n'tl\n"}
	odd := &cobra.Command{Use: "odd .y", Long: "    .de\n    'tl\n\n.z\n", Run: func(*cobra.Command, []string) {}}
	odd.Flags().Bool("flag", false, ".so /etc/passwd")
	root.AddCommand(odd)
	page := string(md2man.Render(manual(root, "", "devel")))
	known := " .TH .SH .SS .TP .PP .br .nf .fi .EX .EE .RS .RE .nh "
	for line := range strings.Lines(page) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(word, "'") && word != `'\"` || strings.HasPrefix(word, ".") && !strings.Contains(known, " "+word+" ") {
			t.Errorf("stray request %q", line)
		}
	}
	if !strings.Contains(page, "passwd") {
		t.Errorf("the texts are not in the page: %s", page)
	}
}
