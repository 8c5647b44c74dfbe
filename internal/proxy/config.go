package proxy

import (
	"net/http"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/internal/bodyio"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/substitution"
	"imagebreaker/internal/upstream"
)

// Config is what a Proxy needs. Only Upstreams has no useful zero value.
type Config struct {
	Mode      policy.Mode  // zero: On
	Reply     policy.Style // zero: Auto
	Upstreams upstream.Set
	CoolOff   time.Duration // zero: 30 s
	MaxHold   time.Duration // zero: 15 min
	Capacity  int           // remembered failures; zero: 4096
	// DowngradeStatus replaces the 5xx of a permanent media failure. Zero: 400.
	DowngradeStatus int
	// BodyLimit is how much of a request, inflated, is inspected; a larger one
	// is streamed through. In bytes; zero: 64 MiB.
	BodyLimit int64
	// Rules are the user's own for verdicts. Nil: the built-in ones alone.
	Rules failure.Rules
	// Preflight rejects an image that inspecting shows to be none that the API
	// could take, before its first upload. Zero: only what has failed is rejected.
	Preflight bool
	// ErrorWait is how long an error may take to arrive whole before the client
	// gets it as it comes, and how long an answer waits for a request that is not
	// whole yet. Zero: 3 s.
	ErrorWait time.Duration
	// TunnelWebSocket lets a WebSocket through to an API that also speaks HTTP.
	// Zero: it is refused in mode On, so that Codex falls back to HTTP.
	TunnelWebSocket bool
	// Substitutions remembers what placeholders stand for. Nil: in memory, until
	// the Proxy ends.
	Substitutions *substitution.Memory
	// Address is where the proxy listens, host:port, for texts that name it.
	Address   string
	Log       *eventlog.Log     // nil: nothing is logged
	Observer  Observer          // nil: nobody is told
	APIs      protocol.APIs     // nil: protocol.All()
	Now       func() time.Time  // nil: time.Now
	Transport http.RoundTripper // nil: relay.NewTransport()
}

// defaultBodyLimit is above the 20 MB that clients were seen to send and the
// 32 MB that the APIs take.
const defaultBodyLimit = 64 << 20

// longBody is the length in bytes from which on it is worth the work to inspect a
// body while it is received.
const longBody = 128 << 10

// Proxy is the handler. Make one with New.
type Proxy struct {
	Config
	breaker    *breaker.Breaker[record.FailureInfo]
	exemptions *lru.Cache[exemption, struct{}]
	buffers    bodyio.Pool

	longFrom int64 // the length of the bodies that are inspected while they are received; tests have shorter ones

	testOnlyFault func(stage string) // nil; a test makes stages panic with it
}

// exemption is an image that preflight leaves to the API, since its entry was
// forgotten on demand.
type exemption struct {
	session string
	sum     [32]byte
}

// maxExemptions bounds how many are remembered.
const maxExemptions = 4096

// New returns a Proxy.
func New(c Config) *Proxy {
	if c.Mode == "" {
		c.Mode = policy.On
	}
	if c.Reply == "" {
		c.Reply = policy.Auto
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
		c.Transport = relay.NewTransport()
	}
	if c.APIs == nil {
		c.APIs = protocol.All()
	}
	if c.Substitutions == nil {
		c.Substitutions = substitution.Open(substitution.Config{Capacity: c.Capacity, Now: c.Now})
	}
	p := &Proxy{
		Config: c, longFrom: longBody,
		breaker: breaker.New(breaker.Config[record.FailureInfo]{CoolOff: c.CoolOff, MaxHold: c.MaxHold, Capacity: c.Capacity, Now: c.Now}),
	}
	p.exemptions, _ = lru.New[exemption, struct{}](maxExemptions) // fails only for a size below one
	return p
}
