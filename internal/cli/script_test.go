package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"imagebreaker/internal/config"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the command lines in testdata/script. Beside the usual
// commands they have:
//
//	mistake WORD ARG…     the command line must exit 2, with an empty stdout and one line with WORD on stderr
//	runs ARG…             the command line must exit 0
//	bad SETTING VALUE     the value must be a mistake as a flag and as a variable
//	exits CODE PROG ARG…  the program must exit with this code
//	start NAME ARG…       start the proxy on a free port, wait for its ready line; its URL is in $NAME
//	term NAME             ask it to end; it must exit 0. What it printed is in NAME.out and NAME.err
//	get URL               fetch a page of it
//	freeport NAME         put a port that nobody listens on into $NAME
//	empty DIR             there must be nothing in the folder
//
// mistake, runs and bad do without a process, so files need their whole path.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setUpScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"mistake": mistakeCmd, "runs": runsCmd, "bad": badCmd, "exits": exitsCmd, "start": startCmd,
			"term": termCmd, "get": getCmd, "freeport": freePortCmd, "empty": emptyCmd,
		},
	})
}

// testdata is where the module's samples lie.
func testdata(names ...string) (string, error) {
	return filepath.Abs(filepath.Join(slices.Concat([]string{"..", "..", "testdata"}, names)...))
}

type programs map[string]*program

func setUpScript(env *testscript.Env) error {
	images, err := testdata("images")
	if err != nil {
		return err
	}
	env.Setenv("IMAGES", images)
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "xdg"))
	env.Vars = append(env.Vars, quickExit)
	env.Values[programs{}.key()] = programs{}
	return nil
}

// key is under what a script keeps its programs.
func (programs) key() any { return "programs" }

func programsOf(ts *testscript.TestScript) programs { return ts.Value(programs{}.key()).(programs) }

// codeOf is how a command of a script ended.
func codeOf(ts *testscript.TestScript, args []string) int {
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return 0
}

func exitsCmd(ts *testscript.TestScript, _ bool, args []string) {
	if got := string(rune('0' + codeOf(ts, args[1:]))); got != args[0] {
		ts.Fatalf("exit %s, want %s", got, args[0])
	}
}

// within runs a command line within the test, which is quicker than a process.
// What should have been a mistake and is taken for good does not run for long:
// it meets a context that has ended.
func within(ts *testscript.TestScript, args ...string) result {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	code := Run(ended, Env{Args: args, Getenv: ts.Getenv, Stdout: &out, Stderr: &errs})
	return result{code, out.String(), errs.String()}
}

func mistakeCmd(ts *testscript.TestScript, _ bool, args []string) {
	r := within(ts, args[1:]...)
	if !r.isMistake("imagebreaker: ", args[0]) {
		ts.Fatalf("exit %d, stdout %q, stderr %q; want a mistake with %q", r.code, r.stdout, r.stderr, args[0])
	}
	_, err := io.WriteString(ts.Stderr(), r.stderr)
	ts.Check(err)
}

func runsCmd(ts *testscript.TestScript, _ bool, args []string) {
	r := within(ts, args...)
	_, err := io.WriteString(ts.Stdout(), r.stdout)
	ts.Check(err)
	_, err = io.WriteString(ts.Stderr(), r.stderr)
	ts.Check(err)
	if r.code != exitOK {
		ts.Fatalf("exit %d, stderr %q", r.code, r.stderr)
	}
}

func badCmd(ts *testscript.TestScript, _ bool, args []string) {
	s, value := config.Setting{Name: args[0]}, args[1]
	var listen []string
	if s.Name != "listen" {
		listen = []string{"--listen", "127.0.0.1:0"}
	}
	check := func(name string, args ...string) {
		if r := within(ts, args...); !r.isMistake("imagebreaker: "+name+" ", strconv.Quote(value)) {
			ts.Fatalf("exit %d, stdout %q, stderr %q; want a mistake with %s and %q", r.code, r.stdout, r.stderr, name, value)
		}
	}
	check("--"+s.Name, append(listen, "--"+s.Name+"="+value)...) // the form that a switch has, too
	ts.Setenv(s.Variable(), value)
	check(s.Variable(), listen...)
	ts.Setenv(s.Variable(), "")
}

func startCmd(ts *testscript.TestScript, _ bool, args []string) {
	name, args := args[0], args[1:]
	if !slices.Contains(args, "--listen") {
		args = append(args, "--listen", "127.0.0.1:0")
	}
	p, err := startProgram(ts.MkAbs("."), environment(ts), args...)
	ts.Check(err)
	ts.Defer(p.kill)
	programsOf(ts)[name] = p
	ts.Setenv(name, p.url)
	ts.Setenv(name+"_ADDRESS", strings.TrimPrefix(p.url, "http://"))
}

// environment is what of a script's variables the program can see.
func environment(ts *testscript.TestScript) []string {
	names := []string{"HOME", "XDG_STATE_HOME", "TMPDIR", "PATH", "GOCOVERDIR"}
	for _, s := range config.Settings() {
		names = append(names, s.Variable())
	}
	env := []string{quickExit}
	for _, n := range names {
		if v := ts.Getenv(n); v != "" {
			env = append(env, n+"="+v)
		}
	}
	return env
}

func termCmd(ts *testscript.TestScript, _ bool, args []string) {
	p := programsOf(ts)[args[0]]
	code, err := p.stop()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".out"), []byte(p.ready+p.stdout.String()), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".err"), p.stderr.Bytes(), 0o600))
	if code != 0 {
		ts.Fatalf("exit %d, stderr %q", code, p.stderr.String())
	}
}

func getCmd(ts *testscript.TestScript, _ bool, args []string) {
	resp, err := http.Get(args[0])
	ts.Check(err)
	defer resp.Body.Close()
	_, err = io.Copy(ts.Stdout(), resp.Body)
	ts.Check(err)
}

func freePortCmd(ts *testscript.TestScript, _ bool, args []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, port, err := net.SplitHostPort(ln.Addr().String())
	ts.Check(err)
	ts.Check(ln.Close())
	ts.Setenv(args[0], port)
}

func emptyCmd(ts *testscript.TestScript, _ bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(entries) > 0 {
		ts.Fatalf("%s holds %s", args[0], entries[0].Name())
	}
}

// TestEverySettingIsRefused keeps the script's table whole: a setting that
// nobody can get wrong does not exist.
func TestEverySettingIsRefused(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/script/settings.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range config.Settings() {
		if !strings.Contains(string(script), "\nbad "+s.Name+" ") {
			t.Errorf("testdata/script/settings.txtar has no bad value for %s", s.Name)
		}
	}
}
