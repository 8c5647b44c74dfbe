package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/agents"
	"imagebreaker/internal/cli/job"
	"imagebreaker/internal/config"
	"imagebreaker/internal/service"
)

// Exit codes of shells for a command that cannot be started.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// afterChild is how long requests that the child has left open may take.
const afterChild = time.Second

// runChild runs a command with the proxy on a free port before the APIs that
// it would use.
func runChild(ctx context.Context, env Env) int {
	i := slices.Index(env.Args, "--")
	var child []string
	if i >= 0 {
		env.Args, child = env.Args[:i], env.Args[i+1:]
	}
	c, err := configure(env)
	if errors.Is(err, errHelp) {
		usage(env.Stdout)
		return exitOK
	}
	if err == nil && len(child) == 0 {
		err = errors.New("run: no command; use imagebreaker run [flags] -- CMD ARGS…")
	}
	if err == nil {
		err = fitTo(&c, agents.Child{Words: child, Getenv: env.Getenv})
	}
	if err != nil {
		return mistake(env, "%v", err)
	}
	path, err := exec.LookPath(child[0])
	if err != nil {
		fmt.Fprintf(env.Stderr, "imagebreaker: run: %q cannot be started: %v\n", child[0], reasonOf(err))
		return exitNotFound
	}
	code, died := runBehind(ctx, env, c, path, agents.Child{Words: child, Getenv: env.Getenv})
	if died != 0 && env.DieOf != nil {
		env.DieOf(died)
	}
	return code
}

// fitTo gives the proxy a free port, and the upstreams that the child would use
// without it, as far as the settings leave them open.
func fitTo(c *config.Config, child agents.Child) error {
	if !c.Given("listen") {
		c.Listen = "127.0.0.1:0"
	}
	ups, err := child.Upstreams(c.LeavesOpen)
	maps.Copy(c.Proxy.Upstreams, ups)
	return err
}

// runBehind runs the child while the proxy serves. The signal is what ended
// the child, 0 if nothing did.
func runBehind(ctx context.Context, env Env, c config.Config, path string, child agents.Child) (int, syscall.Signal) {
	messages, err := openMessages(c.Events)
	if err != nil {
		return mistake(env, "%v", err), 0
	}
	defer messages.Close()
	s, err := service.Open(c, buildVersion(), messages)
	if err != nil {
		return mistake(env, "%v", err), 0
	}
	defer s.Close(afterChild)
	launch, err := child.Launch(s.Address, folderOf(c.Events))
	if err != nil {
		return mistake(env, "run: %v", err), 0
	}
	s.Start()
	fmt.Fprintf(env.Stderr, "imagebreaker: at %s (mode %s), messages go to %s\n", s.URL(), c.Proxy.Mode, messages.Name())
	for _, note := range launch.Notes {
		fmt.Fprintf(env.Stderr, "imagebreaker: %s\n", note)
	}
	cmd := exec.CommandContext(ctx, path, launch.Args...)
	cmd.Args[0] = child.Words[0]
	cmd.Env = append(os.Environ(), launch.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Stdin, env.Stdout, env.Stderr
	end, err := job.Run(cmd)
	if err != nil {
		return notRun(env, cmd, err), 0
	}
	return end.Code, end.Signal
}

// notRun says why there is no end of a command's to tell.
func notRun(env Env, cmd *exec.Cmd, err error) int {
	if cmd.Process == nil {
		fmt.Fprintf(env.Stderr, "imagebreaker: run: %q cannot be started: %v\n", cmd.Args[0], reasonOf(err))
		return exitNotExecutable
	}
	fmt.Fprintf(env.Stderr, "imagebreaker: run: %v\n", err)
	return exitFailed
}

// reasonOf is an error of os/exec without the name that the message has anyway.
func reasonOf(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// openMessages opens the file for what the proxy has to say, beside the event
// log: the terminal is the child's.
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

// folderOf is the folder of the event log, empty if there is no log.
func folderOf(events string) string {
	if events == "" {
		return ""
	}
	return filepath.Dir(events)
}
