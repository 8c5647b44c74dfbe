// Package cli is the command line. It defines one tree of commands, from which
// the help, the shell completion and the manual page are generated.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"imagebreaker/internal/cli/job"
)

// Env is the environment that a command runs in.
type Env struct {
	Args   []string // without the program's name
	Getenv func(string) string
	Stdin  io.Reader // nil: empty
	Stdout io.Writer
	Stderr io.Writer
	// DieOf ends this process by the signal that ended the child of run. If it is
	// nil, only the exit code tells.
	DieOf func(syscall.Signal)
}

// Main runs the command line of this process and returns the exit code. It is the
// only place that changes process-wide state.
func Main() int {
	log.SetOutput(io.Discard)    // net/http logs there, and quotes what upstreams send
	cobra.MousetrapHelpText = "" // double-clicking the program on Windows serves
	return Run(context.Background(), Env{
		Args: os.Args[1:], Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, DieOf: job.DieOf,
	})
}

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2 // the command line, a setting or the environment is invalid
)

// failed is an error at run time. All others are usage errors.
type failed struct{ error }

// failing marks err as an error at run time, unless it is nil.
func failing(err error) error {
	if err == nil {
		return nil
	}
	return failed{err}
}

// exitCode is the error of a command that has already reported what went wrong.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Run runs a command line and returns the exit code.
func Run(ctx context.Context, env Env) int {
	root := newRoot(env)
	if err := checkCommand(root, env.Args); err != nil {
		return env.exit(root, err)
	}
	root.SetArgs(normalizeFlags(root, env.Args))
	cmd, err := root.ExecuteContextC(ctx)
	return env.exit(cmd, err)
}

// exit reports err in one line, whatever the user typed, and returns the exit code.
func (env Env) exit(cmd *cobra.Command, err error) int {
	var code exitCode
	if err == nil || errors.As(err, &code) {
		return int(code)
	}
	env.printf("%s%v", prefix(cmd), err)
	if errors.As(err, new(failed)) {
		return exitFailed
	}
	return exitUsage
}

// printf prints one line on standard error.
func (env Env) printf(format string, args ...any) {
	line := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(fmt.Sprintf(format, args...))
	fmt.Fprintf(env.Stderr, "imagebreaker: %s\n", line)
}

// prefix is what error messages of the command start with. Those about settings
// start with the setting instead.
func prefix(cmd *cobra.Command) string {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	if !cmd.HasParent() || takesSettings(cmd) {
		return ""
	}
	return cmd.Name() + ": "
}
