package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary the program as well: run under the name
// imagebreaker, it is what main.go makes of it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"imagebreaker": func() { os.Exit(Main()) }})
}

// result is what became of a command line.
type result struct {
	code           int
	stdout, stderr string
}

// call runs a command line within the test.
func call(stdin string, args ...string) result {
	var out, errs bytes.Buffer
	code := Run(context.Background(), Env{
		Args: args, Getenv: func(string) string { return "" },
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
	})
	return result{code, out.String(), errs.String()}
}

// isMistake tells whether the command line was refused as it should be: nothing
// on standard output, and one line that has all of the words.
func (r result) isMistake(words ...string) bool {
	if r.code != exitUsage || r.stdout != "" || !isOneLine(r.stderr) {
		return false
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			return false
		}
	}
	return true
}

func isOneLine(s string) bool {
	return strings.Count(s, "\n") == 1 && strings.HasSuffix(s, "\n") && len(s) > 1
}
