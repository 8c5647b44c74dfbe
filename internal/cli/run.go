package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"imagebreaker/eventlog"
	"imagebreaker/internal/agents"
	"imagebreaker/internal/cli/job"
	"imagebreaker/internal/config"
	"imagebreaker/internal/service"
)

// Exit codes that shells use for a command that cannot be started.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// childDrainTimeout is how long requests may take that the child has left open.
const childDrainTimeout = time.Second

func runCommand(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [flags] -- CMD...",
		Short: "Run a command behind the proxy",
		Long: `Starts the proxy on a free port and runs CMD with the base URLs that the known
agents read pointing to it. Base URLs that were set before become the upstreams.
Terminal, signals and job control are those of CMD; messages of the proxy go to a
file, whose name is printed once.

Exit status: that of CMD; 126 or 127 if it cannot be started, as in a shell; 2 for
a usage error.`,
		GroupID:           groupProxy,
		ValidArgsFunction: completeCommand(env),
	}
	load := addSettings(cmd, env.Getenv)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := load()
		if err != nil {
			return err
		}
		if n := cmd.ArgsLenAtDash(); n > 0 || n < 0 && len(args) > 0 {
			return fmt.Errorf("run: unexpected argument %q; put the command after --, as in imagebreaker run -- claude", args[0])
		}
		if len(args) == 0 {
			return errors.New("run: no command; put it after --, as in imagebreaker run -- claude")
		}
		return runChild(cmd.Context(), env, c, agents.Child{Words: args, Getenv: env.Getenv})
	}
	return cmd
}

// completeCommand offers the known agents that are installed, then files.
func completeCommand(env Env) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		if !slices.Contains(env.Args, "--") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, name := range agents.Names() {
			if _, err := exec.LookPath(name); err == nil && len(args) == 0 {
				names = append(names, name)
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}

// runChild runs the child behind the proxy and exits as it did.
func runChild(ctx context.Context, env Env, c config.Config, child agents.Child) error {
	if err := configureFor(&c, child); err != nil {
		return err
	}
	path, err := exec.LookPath(child.Words[0])
	if err != nil {
		return startError(env, child, exitNotFound, err)
	}
	end, err := runBehind(ctx, env, c, path, child)
	if err != nil {
		return err
	}
	if end.Signal != 0 && env.DieOf != nil {
		env.DieOf(end.Signal)
	}
	return exitCode(end.Code)
}

// configureFor defaults the listener to a free port, and the upstreams to those
// that the child would use without the proxy.
func configureFor(c *config.Config, child agents.Child) error {
	if !c.Given("listen") {
		c.Listen = "127.0.0.1:0"
	}
	ups, err := child.Upstreams(c.LeavesOpen)
	maps.Copy(c.Proxy.Upstreams, ups)
	return err
}

// runBehind runs the child while the proxy serves.
func runBehind(ctx context.Context, env Env, c config.Config, path string, child agents.Child) (job.End, error) {
	messages, err := openMessages(c.Events)
	if err != nil {
		return job.End{}, err
	}
	defer messages.Close()
	s, err := service.Open(c, buildVersion(), messages)
	if err != nil {
		return job.End{}, err
	}
	defer s.Close(childDrainTimeout)
	launch, err := child.Launch(s.Address, folderOf(c.Events))
	if err != nil {
		return job.End{}, fmt.Errorf("run: %w", err)
	}
	s.Start()
	env.printf("at %s (mode %s), messages go to %s", s.URL(), c.Proxy.Mode, messages.Name())
	for _, note := range launch.Notes {
		env.printf("%s", note)
	}
	cmd := exec.CommandContext(ctx, path, launch.Args...)
	cmd.Args[0] = child.Words[0]
	cmd.Env = append(os.Environ(), launch.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Stdin, env.Stdout, env.Stderr
	end, err := job.Run(cmd)
	if err != nil && cmd.Process == nil {
		return end, startError(env, child, exitNotExecutable, err)
	} else if err != nil {
		return end, failed{fmt.Errorf("run: %w", err)}
	}
	return end, nil
}

// startError reports that the child cannot be started, without the path that
// system errors start with.
func startError(env Env, child agents.Child, code exitCode, err error) error {
	env.printf("run: %q cannot be started: %v", child.Words[0], cmp.Or(errors.Unwrap(err), err))
	return code
}

// openMessages opens the file for messages of the proxy, next to the event log:
// the terminal belongs to the child.
func openMessages(events string) (*os.File, error) {
	err := errors.New("no folder for state")
	var f *os.File
	if dir := folderOf(events); dir != "" {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			f, err = eventlog.OpenPrivate(filepath.Join(dir, "run.log"))
		}
	}
	if err != nil {
		f, err = os.CreateTemp("", "imagebreaker-run-*.log")
	}
	if err != nil {
		return nil, fmt.Errorf("no place for messages: %w; name a folder that can be written with --events DIR/events.jsonl", err)
	}
	return f, nil
}

// folderOf returns the folder of the event log; "" if there is no log.
func folderOf(events string) string {
	if events == "" {
		return ""
	}
	return filepath.Dir(events)
}
