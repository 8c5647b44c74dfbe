// Package cli is the command line: subcommands, settings, signals.
package cli

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"syscall"

	"imagebreaker/internal/cli/job"
	"imagebreaker/internal/config"
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
	log.SetOutput(io.Discard) // what net/http says there quotes upstreams, and is no line of ours
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

// command is one subcommand.
type command struct {
	name string
	args string // what follows it
	does string
	run  func(context.Context, Env) int
}

// commands lists the subcommands; serve is what runs without one.
func commands() []command {
	return []command{
		{"serve", "[flags]", "run the proxy (what happens without a command)", serve},
		{"run", "[flags] -- CMD…", "run a command with the proxy before the APIs that it uses", runChild},
		{"demo", "", "play the story of a truncated screenshot, without a key and without the network", demo},
		{"events", "[stats] [flags]", "show the event log: what happened, and what that saved", events},
		{"inspect", "[--json] FILE…", "say what the bytes of images are, and whether an API can take them", inspect},
		{"explain", "[flags] [FILE]", "judge an upstream's error answer, and say why", explain},
		{"completion", "bash|zsh|fish", "print a script that completes command lines", completion},
		{"man", "", "print the manual page", man},
		{"version", "", "print the version", version},
	}
}

// Run runs a command line and returns the exit code.
func Run(ctx context.Context, env Env) int {
	name := "serve"
	if len(env.Args) > 0 && !strings.HasPrefix(env.Args[0], "-") {
		name, env.Args = env.Args[0], env.Args[1:]
	}
	for _, c := range commands() {
		if c.name == name {
			return c.run(ctx, env)
		}
	}
	if name == "help" {
		usage(env.Stdout)
		return exitOK
	}
	return mistake(env, "no command %q; the commands are %s", name, strings.Join(names(), ", "))
}

func names() []string {
	var out []string
	for _, c := range commands() {
		out = append(out, c.name)
	}
	return out
}

// mistake tells in one line what cannot be right, whatever was typed.
func mistake(env Env, format string, args ...any) int {
	line := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(fmt.Sprintf(format, args...))
	fmt.Fprintf(env.Stderr, "imagebreaker: %s\n", line)
	return exitMistake
}

// purpose is what the program does, in one sentence.
const purpose = "stops one bad image from failing an agent's session again and again"

func usage(w io.Writer) {
	fmt.Fprintf(w, "imagebreaker %s.\n\nCommands:\n", purpose)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-22s %s\n", strings.TrimSpace(c.name+" "+c.args), c.does)
	}
	fmt.Fprint(w, "\nSettings of serve (a flag wins over its environment variable):\n")
	for _, s := range config.Settings() {
		fmt.Fprintf(w, "  --%-18s %-30s %s (default %s)\n", s.Name, s.Variable(), s.Usage, s.Default)
	}
}
