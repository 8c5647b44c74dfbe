package cli

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"imagebreaker/internal/policy"
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
	s, err := open(c, env.Stderr)
	if err != nil {
		return mistake(env, "%v", err)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s.start()
	fmt.Fprintf(env.Stdout, "imagebreaker: listening on %s (mode %s)\n", s.url(), s.proxy.Mode)
	if s.proxy.Mode != policy.Off {
		hintAgents(env.Stderr, s.url(), runtime.GOOS, findAgent(env.Getenv))
	}
	select {
	case err := <-s.served:
		s.warn.Print(err)
		s.close(0)
		return exitFailed
	case <-ctx.Done():
		stop() // a second signal ends the program at once
		s.close(drainFor)
		return exitOK
	}
}
