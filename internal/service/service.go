// Package service runs the proxy as a server: it owns the listeners, the files and
// the graceful shutdown. It knows neither command lines nor agents.
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/config"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/metrics"
	"imagebreaker/internal/pages"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/record"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/substitution"
	"imagebreaker/internal/upstream"
)

// headerTimeout keeps a client that never completes its headers from occupying a
// connection. Bodies and streams may take as long as they like.
const headerTimeout = time.Minute

// Service is a running proxy with its listeners and files. Open makes one.
type Service struct {
	proxy     proxy.Config
	version   string
	ln        net.Listener
	server    *http.Server
	auxiliary []auxiliary
	served    chan error // receives the error that ended serving
	open      sync.WaitGroup
	base      context.Context    // of all requests
	cancel    context.CancelFunc // aborts those that are still open
	warn      *log.Logger
}

// Open binds the address and opens the files; Start serves. Warnings are written to
// messages, one per line. An error names the setting that is to blame.
func Open(c config.Config, version string, messages io.Writer) (*Service, error) {
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w; use another port, or 0 for a free one", c.Name("listen"), c.Listen, errors.Unwrap(err))
	}
	s := &Service{proxy: c.Proxy, version: version, ln: ln, served: make(chan error, 1), warn: log.New(messages, "imagebreaker: ", 0)}
	s.proxy.Address = fromHere(ln.Addr().String())
	if !config.IsLoopback(ln.Addr().String()) {
		s.warn.Printf("warning: other machines reach %s: they can send requests through here, and what they send is not encrypted", ln.Addr())
	}
	if err := s.openFiles(c); err != nil {
		ln.Close()
		return nil, err
	}
	s.base, s.cancel = context.WithCancel(context.Background())
	s.server = s.newServer(s.proxy)
	return s, nil
}

func (s *Service) newServer(c proxy.Config) *http.Server {
	live := pages.NewLive()
	server := &http.Server{
		Handler:                      s.counted(s.handler(c, live)),
		BaseContext:                  func(net.Listener) context.Context { return s.base },
		ReadHeaderTimeout:            headerTimeout,
		DisableGeneralOptionsHandler: true, // OPTIONS * is the upstream's business
		ErrorLog:                     log.New(quietServer{s.warn.Writer()}, "imagebreaker: ", 0),
	}
	server.RegisterOnShutdown(live.Close) // the stream of an open page has no end
	return server
}

// handler returns the pages in front of the proxy with its observers.
func (s *Service) handler(c proxy.Config, live *pages.Live) http.Handler {
	counts := metrics.New(metrics.Config{Version: s.version, Dropped: c.Log.Dropped})
	saved := pages.NewSaved(c.Now)
	c.Observer = proxy.Observers{counts, live, saved}
	health := &upstream.Health{}
	c.Transport = health.Observe(relay.NewTransport())
	p := proxy.New(c)
	counts.CountEntries(p.Count)
	about := pages.About{Mode: string(c.Mode), Version: s.version, Address: c.Address}
	return pages.New(pages.Config{Memory: p, Metrics: counts.Handler(), Health: health, Live: live, Saved: saved, About: about}, p)
}

// fromHere returns the address at which this machine reaches addr, which may be
// unspecified, as 0.0.0.0 is.
func fromHere(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}

func (s *Service) openFiles(c config.Config) error {
	if err := loops(s.proxy.Upstreams, s.ln.Addr()); err != nil {
		return fmt.Errorf("%s: %w", c.Name("upstream"), err)
	}
	if s.proxy.Mode == policy.Off {
		return nil
	}
	warn := func(line string) { s.warn.Print(line) }
	log, err := eventlog.Open(eventlog.Config{Path: c.Events, Warn: warn})
	if err != nil {
		return fmt.Errorf("%s %q: %w", c.Name("events"), config.Redact(c.Events), err)
	}
	s.proxy.Log = log
	s.proxy.Substitutions = substitution.Open(substitution.Config{Path: c.State, Capacity: s.proxy.Capacity, Warn: warn})
	return nil
}

// URL returns the base URL of the service.
func (s *Service) URL() string { return "http://" + s.proxy.Address }

// Start serves on all listeners, in the background.
func (s *Service) Start() {
	s.event(record.Started)
	go failure.Judge(failure.Answer{}) // compiles the rules before the first error needs them
	go func() { s.served <- s.server.Serve(s.ln) }()
	for _, a := range s.auxiliary {
		go a.server.Serve(a.ln) // Close ends it
	}
}

// Served returns a channel that receives the error that ended serving.
func (s *Service) Served() <-chan error { return s.served }

// Close shuts the service down. It returns an error if requests were still open
// after the timeout and had to be aborted.
func (s *Service) Close(timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	for _, a := range s.auxiliary {
		if a.server.Shutdown(ctx) != nil {
			a.server.Close()
		}
	}
	err := s.drain(ctx)
	if err != nil {
		err = fmt.Errorf("stopped with requests still open after %s", timeout)
		s.server.Close()
	}
	s.cancel()
	s.event(record.Stopped)
	s.proxy.Log.Close()
	if s.proxy.Substitutions != nil {
		s.proxy.Substitutions.Close()
	}
	return err
}

// drain stops accepting requests and waits for open ones. It counts them itself:
// http.Server does not track hijacked connections, such as WebSockets.
func (s *Service) drain(ctx context.Context) error {
	if err := s.server.Shutdown(ctx); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		s.open.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// counted is middleware that counts the open requests.
func (s *Service) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.open.Add(1)
		defer s.open.Done()
		h.ServeHTTP(w, r)
	})
}

func (s *Service) event(name record.Event) {
	s.proxy.Log.Write(eventlog.Event{
		Event: name, Mode: string(s.proxy.Mode), Version: s.version, Address: s.proxy.Address, Dropped: s.proxy.Log.Dropped(),
	})
}

// quietServer passes on what http.Server logs about itself, and drops what it logs
// about connections, which may quote the client.
type quietServer struct{ to io.Writer }

func (q quietServer) Write(p []byte) (int, error) {
	if s := string(p); strings.Contains(s, "http: Accept error") {
		return q.to.Write(p)
	}
	return len(p), nil
}
