package relay

import (
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// Bypass carries a request up and its answer down without a look at either, upgrades
// to a WebSocket included. fail answers for an upstream that gives no answer.
func Bypass(w *Writer, r *http.Request, base *url.URL, transport http.RoundTripper, fail func(error)) {
	proxy := httputil.ReverseProxy{
		Rewrite:       func(pr *httputil.ProxyRequest) { rewrite(pr, base) },
		Transport:     transport,
		FlushInterval: -1, // whatever arrives goes on at once
		BufferPool:    pooledBuffers{},
		ErrorHandler:  func(_ http.ResponseWriter, _ *http.Request, err error) { fail(err) },
		ErrorLog:      log.New(io.Discard, "", 0), // its lines may hold URLs
	}
	proxy.ServeHTTP(w, r)
}

// rewrite addresses the request to the upstream and leaves the rest as it is, with
// the headers that ReverseProxy drops.
func rewrite(pr *httputil.ProxyRequest, base *url.URL) {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := pr.In.Header[name]; ok {
			pr.Out.Header[name] = v
		}
	}
	address(pr.Out, pr.In, base)
	pr.Out.Trailer = pr.In.Trailer // filled when the body has been read
	// Java's client offers h2c on every connection, and HTTP/2 upstreams take
	// no such offer. It may be passed over; a WebSocket may not.
	if !IsWebSocket(pr.Out.Header) {
		pr.Out.Header.Del("Connection")
		pr.Out.Header.Del("Upgrade")
	}
}

// pooledBuffers are the copy buffers as ReverseProxy wants them.
type pooledBuffers struct{}

func (pooledBuffers) Get() []byte  { return copyBuffers.Get().(*[32 << 10]byte)[:] }
func (pooledBuffers) Put(p []byte) { copyBuffers.Put((*[32 << 10]byte)(p)) }
