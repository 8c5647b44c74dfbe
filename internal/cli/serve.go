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
	"imagebreaker/internal/policy"
	"imagebreaker/internal/service"
)

// drainTimeout is how long open requests may take after a signal to stop.
const drainTimeout = 30 * time.Second

func serveCommand(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Run the proxy (the default command)",
		Long: `Runs the proxy until SIGINT or SIGTERM. When it accepts connections, it prints one
line with its address. After a signal it waits up to 30 s for open requests to
finish; a second signal ends it at once.

Exit status: 0 after a signal, 1 if it cannot serve any longer, 2 for an invalid
setting.`,
		GroupID: groupProxy,
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

// serve runs the proxy until a signal or ctx ends it.
func serve(ctx context.Context, env Env, c config.Config) error {
	s, err := service.Open(c, buildVersion(), env.Stderr)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s.Start()
	fmt.Fprintf(env.Stdout, "imagebreaker: listening on %s (mode %s)\n", s.URL(), c.Proxy.Mode)
	if c.Proxy.Mode != policy.Off {
		for _, hint := range agents.Hints(s.URL(), runtime.GOOS, agents.Find(env.Getenv)) {
			env.printf("%s", hint)
		}
	}
	select {
	case err := <-s.Served():
		_ = s.Close(0)
		return failed{err}
	case <-ctx.Done():
		stop() // from now on a signal kills the process
		if err := s.Close(drainTimeout); err != nil {
			env.printf("%v", err)
		}
		return nil
	}
}
