package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"
)

// NewTransport is the connection to the upstreams: HTTP/2 where they speak it,
// the environment's proxy settings, nothing compressed or inflated on the way.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	t.MaxIdleConns = 512
	t.MaxIdleConnsPerHost = 256
	// Short of the minute or more that servers keep idle connections for: one
	// that they close while it is being used fails a request.
	t.IdleConnTimeout = 30 * time.Second
	t.ExpectContinueTimeout = 0 // the client has been told to go on; an upstream that says nothing must not cost a second
	return t
}

// exchangeKey finds the exchange in its request's context.
type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// newForwarder carries requests up and answers down. What it sends for an
// exchange, and what comes of it, the exchange decides.
func newForwarder(base http.RoundTripper) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			rewrite(pr, exchangeOf(pr.In.Context()).upstream)
		},
		Transport:     exchangeTransport{base},
		FlushInterval: -1, // whatever arrives goes on at once
		BufferPool:    newBuffers(),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			exchangeOf(r.Context()).unreachable(err)
		},
		// The exchange logs what matters; the forwarder's own lines may hold URLs.
		ErrorLog: log.New(io.Discard, "", 0),
	}
}

// rewrite addresses the request to the upstream and leaves the rest as it is:
// path and query byte for byte, and the headers that ReverseProxy drops.
func rewrite(pr *httputil.ProxyRequest, base *url.URL) {
	out := pr.Out.URL
	out.Scheme, out.Host = base.Scheme, base.Host
	pr.Out.Host = base.Host
	out.RawQuery, out.ForceQuery = pr.In.URL.RawQuery, pr.In.URL.ForceQuery
	out.Path = strings.TrimSuffix(base.Path, "/") + pr.In.URL.Path
	out.RawPath = strings.TrimSuffix(base.EscapedPath(), "/") + pr.In.URL.EscapedPath()
	// A path that Go would write in another way goes as it came on the wire.
	switch path := wirePath(pr.In); {
	case path == "*":
		out.Opaque = path
	default:
		if path = strings.TrimSuffix(base.EscapedPath(), "/") + path; path != out.EscapedPath() && !strings.HasPrefix(path, "//") {
			out.Opaque = path
		}
	}
	pr.Out.Trailer = pr.In.Trailer // filled when the body has been read
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := pr.In.Header[name]; ok {
			pr.Out.Header[name] = v
		}
	}
	sendOnce(pr.Out.Header)
	// Java's client offers h2c on every connection, and HTTP/2 upstreams take
	// no such offer. It may be passed over; a WebSocket may not.
	if !strings.EqualFold(pr.Out.Header.Get("Upgrade"), "websocket") {
		pr.Out.Header.Del("Connection")
		pr.Out.Header.Del("Upgrade")
	}
}

// wirePath is the path as it came on the wire, also where it came behind a host:
// whoever takes us for a forward proxy is served by the upstream all the same.
func wirePath(r *http.Request) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if r.URL.Host == "" {
		return path
	}
	_, path, _ = strings.Cut(path, "://")
	_, path, _ = strings.Cut(path, "/")
	return "/" + path
}

// sendOnce keeps the transport from sending a POST twice. Its retry on a
// connection that died before anything was written stays; but a request with
// one of these headers it also sends again when an upstream that has read it
// closes an idle connection. It knows them in this form of their names only.
func sendOnce(h http.Header) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if v, ok := h[name]; ok {
			delete(h, name)
			h[strings.ToLower(name)] = v
		}
	}
}

// exchangeTransport lets the exchange send its own request.
type exchangeTransport struct{ base http.RoundTripper }

func (t exchangeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return exchangeOf(r.Context()).roundTrip(r, t.base)
}

// buffers hands out the forwarder's copy buffers.
type buffers struct{ pool *sync.Pool }

func newBuffers() buffers {
	return buffers{&sync.Pool{New: func() any { return new([32 << 10]byte) }}}
}

func (b buffers) Get() []byte  { return b.pool.Get().(*[32 << 10]byte)[:] }
func (b buffers) Put(p []byte) { b.pool.Put((*[32 << 10]byte)(p)) }

// reach says in one line why an upstream gave no answer, and with which status
// a gateway tells so. The line names the host and no URL.
func reach(host string, err error) (why string, status int) {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return "no answer from " + host + " in time: " + err.Error(), http.StatusGatewayTimeout
	}
	return "cannot reach " + host + ": " + err.Error(), http.StatusBadGateway
}
