package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/repairs"
)

const (
	// drainFor is how long open requests may take to end when the program is
	// asked to stop.
	drainFor = 30 * time.Second
	// headersWithin keeps a client that never finishes its head from holding a
	// connection. Streams and bodies may take as long as they like.
	headersWithin = time.Minute
)

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
	ln, err := net.Listen("tcp", c.listen)
	if err != nil {
		return mistake(env, "%s %q: %v; use another port, or 0 for a free one", c.name("listen"), c.listen, reason(err))
	}
	c.proxy.Address = ln.Addr().String()
	if err := loops(c.proxy.Upstreams, ln.Addr()); err != nil {
		ln.Close()
		return mistake(env, "%s: %v", c.name("upstream"), err)
	}
	warn := log.New(env.Stderr, "imagebreaker: ", 0)
	if c.proxy.Mode != proxy.Off {
		c.proxy.Log, err = eventlog.Open(eventlog.Config{Path: c.events, Warn: func(s string) { warn.Print(s) }})
		if err != nil {
			ln.Close()
			return mistake(env, "%s %q: %v", c.name("events"), shown(c.events), err)
		}
		c.proxy.Repairs = repairs.Open(repairs.Config{Path: c.state, Capacity: c.proxy.Capacity, Warn: func(s string) { warn.Print(s) }})
		defer c.proxy.Repairs.Close()
	}
	return run(ctx, env, c, ln)
}

// reason is the bare cause of a network error, without the address that the
// message names anyway.
func reason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// loops finds an upstream that is the proxy itself.
func loops(ups proxy.Upstreams, self net.Addr) error {
	_, own, _ := net.SplitHostPort(self.String())
	for name, u := range ups {
		ip := net.ParseIP(u.Hostname())
		if u.Port() == own && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
			return fmt.Errorf("the upstream for %s is this proxy itself; name the server behind it", name)
		}
	}
	return nil
}

// run serves on ln until a signal, then lets open requests end.
func run(ctx context.Context, env Env, c config, ln net.Listener) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	server := &http.Server{
		Handler:           proxy.New(c.proxy),
		ReadHeaderTimeout: headersWithin,
		ErrorLog:          log.New(quietServer{env.Stderr}, "imagebreaker: ", 0),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	c.proxy.Log.Write(eventlog.Event{Event: "started", Mode: string(c.proxy.Mode), Version: buildVersion(), Address: c.proxy.Address})
	fmt.Fprintf(env.Stdout, "imagebreaker: listening on http://%s (mode %s)\n", c.proxy.Address, c.proxy.Mode)
	code := exitOK
	select {
	case err := <-served:
		fmt.Fprintf(env.Stderr, "imagebreaker: %v\n", err)
		code = exitFailed
	case <-ctx.Done():
		stop() // a second signal ends the program at once
		drain(server, env)
	}
	c.proxy.Log.Write(eventlog.Event{Event: "stopped", Mode: string(c.proxy.Mode), Dropped: c.proxy.Log.Dropped()})
	c.proxy.Log.Close()
	return code
}

func drain(server *http.Server, env Env) {
	ctx, cancel := context.WithTimeout(context.Background(), drainFor)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		fmt.Fprintf(env.Stderr, "imagebreaker: stopped with requests still open after %s\n", drainFor)
		server.Close()
	}
}

// quietServer lets through what the server says of itself, not what it says of
// a client's connection, which may quote the client.
type quietServer struct{ to io.Writer }

func (q quietServer) Write(p []byte) (int, error) {
	if s := string(p); strings.Contains(s, "http: Accept error") {
		return q.to.Write(p)
	}
	return len(p), nil
}
