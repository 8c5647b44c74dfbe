// Package cli is the command line: one tree of commands, of which the help, the
// completion of shells and the manual page are made.
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

// Env is what a command has of its surroundings.
type Env struct {
	Args   []string // without the program's name
	Getenv func(string) string
	Stdin  io.Reader // nil: empty
	Stdout io.Writer
	Stderr io.Writer
	// DieOf ends the process as a signal ended the command that it ran. Nil:
	// the exit code alone tells.
	DieOf func(syscall.Signal)
}

// Main runs the command line of this process and returns the exit code. What
// concerns the process as a whole is set here, and nowhere else.
func Main() int {
	log.SetOutput(io.Discard)    // what net/http says there quotes upstreams, and is no line of ours
	cobra.MousetrapHelpText = "" // on Windows, a double click serves
	return Run(context.Background(), Env{
		Args: os.Args[1:], Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, DieOf: job.DieOf,
	})
}

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitMistake = 2 // the command line or the environment cannot be right
)

// failed is an error that is no mistake of the user's.
type failed struct{ error }

// failing marks an error, if there is one, as no mistake of the user's.
func failing(err error) error {
	if err == nil {
		return nil
	}
	return failed{err}
}

// exitCode is the error of a command that has said what there is to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Run runs a command line and returns the exit code.
func Run(ctx context.Context, env Env) int {
	root := newRoot(env)
	if err := checkCommand(root, env.Args); err != nil {
		return env.exit(root, err)
	}
	root.SetArgs(twoDashes(root, env.Args))
	cmd, err := root.ExecuteContextC(ctx)
	return env.exit(cmd, err)
}

// exit says in one line what went wrong, whatever was typed, and returns the
// exit code.
func (env Env) exit(cmd *cobra.Command, err error) int {
	var code exitCode
	if err == nil || errors.As(err, &code) {
		return int(code)
	}
	env.say("%s%v", subject(cmd), err)
	if errors.As(err, new(failed)) {
		return exitFailed
	}
	return exitMistake
}

// say prints a line for the user on standard error.
func (env Env) say(format string, args ...any) {
	line := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(fmt.Sprintf(format, args...))
	fmt.Fprintf(env.Stderr, "imagebreaker: %s\n", line)
}

// subject begins a message about the command. Mistakes in settings begin with
// the setting.
func subject(cmd *cobra.Command) string {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	if !cmd.HasParent() || takesSettings(cmd) {
		return ""
	}
	return cmd.Name() + ": "
}
