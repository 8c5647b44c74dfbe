// Package proxy takes requests through a pipeline of stages: receive, inspect, decide,
// send, judge, react, reply or relay, record. The stages are functions from values to
// values, one file each; pipeline.go has them in their order. An exchange owns what is
// to be remembered of a request.
//
// It knows no field name of any API; those are in package protocol. It fails open: a
// fault in a stage is logged, and the request goes on as if the stage had found nothing.
package proxy

import (
	"net/http"
	"strings"

	"imagebreaker/internal/policy"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/relay"
)

// ServeHTTP answers one request.
func (p *Proxy) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/-/") { // package pages, if it is there, comes before this
		http.Error(rw, "imagebreaker: no pages here", http.StatusNotFound)
		return
	}
	w := relay.NewWriter(rw, r)
	defer w.FlushOnAbort()
	api, call, known := p.APIs.Match(r.Method, r.URL, r.Header)
	base := p.Upstreams.For(api, call, r)
	switch {
	case r.Method == http.MethodConnect, r.URL.Opaque != "":
		refuseTarget(w)
	case p.Mode == policy.On && !p.TunnelWebSocket && protocol.FallsBackToHTTP(r):
		refuseWebSocket(w)
	case !known || p.Mode == policy.Off || relay.IsWebSocket(r.Header):
		relay.Bypass(w, r, base, p.Transport, func(err error) { p.unreachable(r, api, base, err).WriteTo(w) })
	default:
		p.serve(w, &request{r, api, call, base})
	}
}

// refuseWebSocket answers 426: Codex falls back to HTTP at once, where 404,
// 405 and 501 cost it seven tries and 400 the turn (measured, 0.171.0).
func refuseWebSocket(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	http.Error(w, "imagebreaker: this API is served over HTTP here", http.StatusUpgradeRequired)
}

// refuseTarget answers who asks for a tunnel, or for something without a path.
// There is no way to ask an API for that.
func refuseTarget(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	http.Error(w, "imagebreaker: this is no forward proxy; give its address to the client as the API's base URL", http.StatusBadRequest)
}
