// Package proxy puts the steps of a request in order: match, read, scan, check,
// hold or forward, watch the answer, judge it, remember, log.
//
// It knows no field name of any API; those are in package protocol. Whatever
// goes wrong in here, the request goes through as if the proxy were not there.
package proxy

import (
	"net/http"
	"net/http/httputil"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/repairs"
	"imagebreaker/internal/upstream"
)

// Mode is the switch of the whole program.
type Mode string

const (
	On     Mode = "on"      // everything
	Off    Mode = "off"     // a plain proxy: nothing is read, kept or logged
	DryRun Mode = "dry-run" // everything is observed and logged, nothing is changed
)

// Style is how requests that are held are answered.
type Style string

const (
	Auto    Style = "auto"    // what suits the client best
	Message Style = "message" // a finished assistant turn
	Failed  Style = "error"   // a 400 with the upstream's own words
	Repair  Style = "repair"  // the image is replaced and the request goes on
)

// Config is what a Proxy needs. Only Upstreams has no useful zero value.
type Config struct {
	Mode      Mode  // zero: On
	Reply     Style // zero: Auto
	Upstreams upstream.Set
	CoolOff   time.Duration // zero: 30 s
	MaxHold   time.Duration // zero: 15 min
	Capacity  int           // remembered failures; zero: 4096
	// DowngradeStatus replaces the 5xx of a permanent media failure. Zero: 400.
	DowngradeStatus int
	// BodyLimit is how much of a request, inflated, is looked at; a larger one
	// is streamed through unseen. In bytes; zero: 64 MiB.
	BodyLimit int64
	// Rules are the user's own for verdicts. Nil: the built-in ones alone.
	Rules failure.Rules
	// Preflight holds an image that a look shows to be no image that the API
	// could take, before its first upload. Zero: only what has failed is held.
	Preflight bool
	// ErrorWait is how long an error may take to arrive whole before the client
	// gets it as it comes. Zero: 3 s.
	ErrorWait time.Duration
	// TunnelWebSocket lets a WebSocket through to an API that also speaks HTTP.
	// Zero: it is refused in mode On, so that Codex falls back to HTTP.
	TunnelWebSocket bool
	// Repairs remembers what is replaced. Nil: in memory, until the Proxy ends.
	Repairs *repairs.Memory
	// Address is where the proxy listens, host:port, for texts that name it.
	Address   string
	Log       *eventlog.Log     // nil: nothing is logged
	Observer  Observer          // nil: nobody looks on
	APIs      protocol.APIs     // nil: protocol.All()
	Now       func() time.Time  // nil: time.Now
	Transport http.RoundTripper // nil: NewTransport()
}

// defaultBodyLimit is above the 20 MB that clients were seen to send and the
// 32 MB that the APIs take.
const defaultBodyLimit = 64 << 20

// Proxy is the handler. Make one with New.
type Proxy struct {
	Config
	breaker *breaker.Breaker[memo]
	forward *httputil.ReverseProxy
	excused *lru.Cache[excuse, struct{}]
	bodies  bodies

	longFrom int64 // the length of the bodies that are looked at while they come; tests have shorter ones

	testOnlyFault func(step string) // nil; a test makes steps panic with it
}

// New returns a Proxy.
func New(c Config) *Proxy {
	if c.Mode == "" {
		c.Mode = On
	}
	if c.Reply == "" {
		c.Reply = Auto
	}
	if c.DowngradeStatus == 0 {
		c.DowngradeStatus = http.StatusBadRequest
	}
	if c.BodyLimit == 0 {
		c.BodyLimit = defaultBodyLimit
	}
	if c.ErrorWait == 0 {
		c.ErrorWait = 3 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Transport == nil {
		c.Transport = NewTransport()
	}
	if c.APIs == nil {
		c.APIs = protocol.All()
	}
	if c.Repairs == nil {
		c.Repairs = repairs.Open(repairs.Config{Capacity: c.Capacity, Now: c.Now})
	}
	p := &Proxy{
		Config: c, longFrom: longBody,
		breaker: breaker.New[memo](breaker.Config{CoolOff: c.CoolOff, MaxHold: c.MaxHold, Capacity: c.Capacity, Now: c.Now}),
	}
	p.forward = newForwarder(c.Transport)
	p.excused, _ = lru.New[excuse, struct{}](maxExcuses) // fails only for a size below one
	return p
}

// ServeHTTP answers one request.
func (p *Proxy) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/-/") { // package pages, if it is there, comes before this
		http.Error(rw, "imagebreaker: no pages here", http.StatusNotFound)
		return
	}
	w := plain(rw, r)
	defer w.breakOff()
	api, call, ok := p.APIs.Match(r.Method, r.URL, r.Header)
	switch {
	case r.Method == http.MethodConnect, r.URL.Opaque != "":
		refuseTarget(w)
	case p.refusesWebSocket(r):
		refuseWebSocket(w)
	case !ok || p.Mode == Off:
		x := &exchange{p: p, rw: w, in: r, api: api, upstream: p.Upstreams.For(api, call, r)}
		x.pass(r.Body, r.ContentLength)
	default:
		x := &exchange{p: p, rw: w, in: r, api: api, call: call, upstream: p.Upstreams.For(api, call, r), start: p.Now()}
		x.serve()
	}
}

// refusesWebSocket tells Codex's upgrade of the Responses API. Over HTTP it
// sends the same requests, one at a time, where they can be seen.
func (p *Proxy) refusesWebSocket(r *http.Request) bool {
	return p.Mode == On && !p.TunnelWebSocket && protocol.FallsBackToHTTP(r)
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
