package cli

import (
	"context"
	"fmt"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"imagebreaker/internal/agents"
	"imagebreaker/internal/config"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/service"
)

// drainFor is how long open requests may take to end when the program is asked
// to stop.
const drainFor = 30 * time.Second

func serveCommand(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Run the proxy (what happens without a command)",
		Long: `Runs the proxy until it is told to stop. When it is ready it prints one line, with
its address. On SIGTERM and SIGINT it takes no more requests and waits up to 30 s
for those that are open.

Exit status: 0 when it was told to stop, 1 if it could not go on, 2 for a setting
that cannot be right.`,
		GroupID: groupRun,
		Args:    noArguments,
	}
	load := addSettings(cmd, env.Getenv)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := load()
		if err != nil {
			return err
		}
		return serve(cmd.Context(), env, c)
	}
	return cmd
}

// serve runs the proxy until it is told to stop.
func serve(ctx context.Context, env Env, c config.Config) error {
	s, err := service.Open(c, buildVersion(), env.Stderr)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s.Start()
	fmt.Fprintf(env.Stdout, "imagebreaker: listening on %s (mode %s)\n", s.URL(), c.Proxy.Mode)
	if c.Proxy.Mode != proxy.Off {
		for _, hint := range agents.Hints(s.URL(), runtime.GOOS, agents.Find(env.Getenv)) {
			env.say("%s", hint)
		}
	}
	select {
	case err := <-s.Served():
		_ = s.Close(0)
		return failed{err}
	case <-ctx.Done():
		stop() // a second signal ends the program at once
		if err := s.Close(drainFor); err != nil {
			env.say("%v", err)
		}
		return nil
	}
}
