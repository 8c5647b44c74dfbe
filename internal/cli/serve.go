package cli

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"imagebreaker/internal/agents"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/service"
)

// drainFor is how long open requests may take to end when the program is asked
// to stop.
const drainFor = 30 * time.Second

// serve runs the proxy until it is told to stop.
func serve(ctx context.Context, env Env) int {
	c, err := configure(env)
	if errors.Is(err, errHelp) {
		usage(env.Stdout)
		return exitOK
	}
	if err != nil {
		return mistake(env, "%v", err)
	}
	s, err := service.Open(c, buildVersion(), env.Stderr)
	if err != nil {
		return mistake(env, "%v", err)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s.Start()
	fmt.Fprintf(env.Stdout, "imagebreaker: listening on %s (mode %s)\n", s.URL(), c.Proxy.Mode)
	if c.Proxy.Mode != proxy.Off {
		for _, hint := range agents.Hints(s.URL(), runtime.GOOS, agents.Find(env.Getenv)) {
			fmt.Fprintf(env.Stderr, "imagebreaker: %s\n", hint)
		}
	}
	select {
	case err := <-s.Served():
		fmt.Fprintf(env.Stderr, "imagebreaker: %v\n", err)
		_ = s.Close(0)
		return exitFailed
	case <-ctx.Done():
		stop() // a second signal ends the program at once
		if err := s.Close(drainFor); err != nil {
			fmt.Fprintf(env.Stderr, "imagebreaker: %v\n", err)
		}
		return exitOK
	}
}
