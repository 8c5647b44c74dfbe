package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/config"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/metrics"
	"imagebreaker/internal/pages"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/reach"
	"imagebreaker/internal/repairs"
)

// headersWithin keeps a client that never finishes its head from holding a
// connection. Streams and bodies may take as long as they like.
const headersWithin = time.Minute

// service is the proxy with all that it stands on.
type service struct {
	proxy  proxy.Config
	ln     net.Listener
	server *http.Server
	served chan error // why it serves no more
	open   sync.WaitGroup
	base   context.Context    // of all requests
	cut    context.CancelFunc // ends those that are still open
	warn   *log.Logger
	beside []beside
}

// open takes the address and opens the files. Its error is for whoever gave the
// settings: it says which one cannot be right.
func open(c config.Config, stderr io.Writer) (*service, error) {
	log.SetOutput(io.Discard) // what net/http says there quotes upstreams, and is no line of ours
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %v; use another port, or 0 for a free one", c.Name("listen"), c.Listen, reason(err))
	}
	s := &service{proxy: c.Proxy, ln: ln, served: make(chan error, 1), warn: log.New(stderr, "imagebreaker: ", 0)}
	s.proxy.Address = fromHere(ln.Addr().String())
	if !config.IsLoopback(ln.Addr().String()) {
		s.warn.Printf("warning: other machines reach %s: they can send requests through here, and what they send is not encrypted", ln.Addr())
	}
	if err := s.openFiles(c); err != nil {
		ln.Close()
		return nil, err
	}
	s.base, s.cut = context.WithCancel(context.Background())
	s.server = s.newServer(s.proxy)
	return s, nil
}

func (s *service) newServer(c proxy.Config) *http.Server {
	live := pages.NewLive()
	server := &http.Server{
		Handler:                      s.counted(s.handler(c, live)),
		BaseContext:                  func(net.Listener) context.Context { return s.base },
		ReadHeaderTimeout:            headersWithin,
		DisableGeneralOptionsHandler: true, // OPTIONS * is the upstream's business
		ErrorLog:                     log.New(quietServer{s.warn.Writer()}, "imagebreaker: ", 0),
	}
	server.RegisterOnShutdown(live.Close) // an open page never ends by itself
	return server
}

// handler is the proxy behind its pages, with all that looks on.
func (s *service) handler(c proxy.Config, live *pages.Live) http.Handler {
	counts := metrics.New(metrics.Config{Version: buildVersion(), Dropped: c.Log.Dropped})
	saved := pages.NewSaved(c.Now)
	c.Observer = proxy.Observers{counts, live, saved}
	seen := &reach.Reach{}
	c.Transport = seen.Through(proxy.NewTransport())
	p := proxy.New(c)
	counts.CountEntries(p.Count)
	about := pages.About{Mode: string(c.Mode), Version: buildVersion(), Address: c.Address}
	return pages.New(pages.Config{Memory: p, Metrics: counts.Handler(), Reach: seen, Live: live, Saved: saved, About: about}, p)
}

// fromHere is the address as this machine reaches it: one that stands for all
// of the machine's own is no address to write into a command.
func fromHere(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}

func (s *service) openFiles(c config.Config) error {
	if err := loops(s.proxy.Upstreams, s.ln.Addr()); err != nil {
		return fmt.Errorf("%s: %w", c.Name("upstream"), err)
	}
	if s.proxy.Mode == proxy.Off {
		return nil
	}
	warn := func(line string) { s.warn.Print(line) }
	log, err := eventlog.Open(eventlog.Config{Path: c.Events, Warn: warn})
	if err != nil {
		return fmt.Errorf("%s %q: %w", c.Name("events"), config.Redact(c.Events), err)
	}
	s.proxy.Log = log
	s.proxy.Repairs = repairs.Open(repairs.Config{Path: c.State, Capacity: s.proxy.Capacity, Warn: warn})
	return nil
}

func (s *service) url() string { return "http://" + s.proxy.Address }

func (s *service) start() {
	s.event("started")
	go failure.Judge(failure.Answer{}) // so that the first error need not wait for the rules to be compiled
	go func() { s.served <- s.server.Serve(s.ln) }()
	s.startBeside()
}

// close ends the service: requests that are open may end within the time.
func (s *service) close(within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	s.closeBeside(ctx)
	if err := s.drain(ctx); err != nil {
		if within >= drainFor {
			s.warn.Printf("stopped with requests still open after %s", within)
		}
		s.server.Close()
	}
	s.cut()
	s.event("stopped")
	s.proxy.Log.Close()
	if s.proxy.Repairs != nil {
		s.proxy.Repairs.Close()
	}
}

// drain takes no more requests and waits for those that are open. The server
// knows nothing any more of a connection that has become a WebSocket.
func (s *service) drain(ctx context.Context) error {
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

// counted keeps count of the open requests.
func (s *service) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.open.Add(1)
		defer s.open.Done()
		h.ServeHTTP(w, r)
	})
}

func (s *service) event(name string) {
	s.proxy.Log.Write(eventlog.Event{
		Event: name, Mode: string(s.proxy.Mode), Version: buildVersion(), Address: s.proxy.Address, Dropped: s.proxy.Log.Dropped(),
	})
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

// loops finds an upstream that is the proxy itself, which listens at self.
func loops(ups proxy.Upstreams, self net.Addr) error {
	host, port, _ := net.SplitHostPort(self.String())
	for _, name := range slices.Sorted(maps.Keys(ups)) {
		u := ups[name]
		defaultPort := map[string]string{"http": "80", "https": "443"}[u.Scheme]
		if cmp.Or(u.Port(), defaultPort) == port && reaches(u.Hostname(), net.ParseIP(host)) {
			return fmt.Errorf("the upstream for %s is this proxy itself; name the server behind it", name)
		}
	}
	return nil
}

// reaches tells whether a connection to the host arrives at the local address.
func reaches(host string, self net.IP) bool {
	ip := net.ParseIP(host)
	if ip == nil {
		return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
	}
	return ip.Equal(self) || ip.IsUnspecified()
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
