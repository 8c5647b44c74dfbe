// Package metrics counts what the proxy does, for Prometheus.
//
// No label is a session, a model, an address or anything else that a client or an
// upstream makes up: the number of series is bounded.
package metrics

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

// Config configures New. The zero value is ready to use.
type Config struct {
	// Version is the program's, for the metric build_info.
	Version string
	// Dropped returns how many events the log has lost so far. Nil means none.
	Dropped func() int
}

// Metrics is an observer of the proxy that counts what it observes. Make one with New.
type Metrics struct {
	registry *prometheus.Registry
	counters
	reasons labelSet
}

// New returns metrics on a registry of their own, all at zero.
func New(c Config) *Metrics {
	r := prometheus.NewRegistry()
	registerProcess(r, c)
	return &Metrics{registry: r, counters: newCounters(r), reasons: labelSet{max: maxReasons}}
}

// CountEntries adds the gauge of remembered failures, for which count is called at
// each scrape. Call it once at most.
func (m *Metrics) CountEntries(count func() map[breaker.State]int) {
	desc := prometheus.NewDesc(prefix+"entries", "Failures that are remembered: live (open) ones reject requests, half-open ones let the next through, probing ones wait for its answer.", []string{"state"}, nil)
	m.registry.MustRegister(prometheus.CollectorFunc(func(to chan<- prometheus.Metric) {
		counts := count()
		for _, s := range []breaker.State{breaker.Open, breaker.HalfOpen, breaker.Probing} {
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(counts[s]), string(s))
		}
	}))
}

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Event implements proxy.Observer. It counts internal errors; all else is counted
// by Finished.
func (m *Metrics) Event(e eventlog.Event) {
	if e.Event == record.InternalError {
		m.internalErrors.Inc()
	}
}

// Finished implements proxy.Observer.
func (m *Metrics) Finished(x record.Exchange) {
	m.requests.WithLabelValues(x.Protocol, answeredBy(&x)).Inc()
	for i := range x.Attempts {
		m.countAttempt(&x, &x.Attempts[i])
	}
	if last := x.Last(); last != nil && len(last.Placeholders) > 0 {
		m.substituted.WithLabelValues(x.Protocol).Inc()
	}
	if probe := x.Probe(); probe != "" {
		m.probes.WithLabelValues(string(probe)).Inc()
	}
	if x.Added > 0 {
		m.added.Observe(x.Added.Seconds())
	}
	m.countAvoided(&x)
}

func (m *Metrics) countAttempt(x *record.Exchange, a *record.Attempt) {
	if !a.Answered() {
		return
	}
	m.answers.WithLabelValues(class(x, a)).Inc()
	if a.Verdict != "" {
		m.verdicts.WithLabelValues(string(a.Verdict), m.reasons.value(string(a.Reason))).Inc()
	}
}

func (m *Metrics) countAvoided(x *record.Exchange) {
	a := x.Avoided()
	if a.How == "" {
		return
	}
	reason := m.reasons.value(string(a.Reason))
	switch a.How {
	case record.DryRunOnly:
		m.avoidable.WithLabelValues(x.Protocol, reason).Inc()
		m.avoidableBytes.Add(float64(a.Bytes))
	default:
		m.avoided.WithLabelValues(x.Protocol, reason, string(a.How)).Inc()
		m.avoidedBytes.Add(float64(a.Bytes))
	}
}

// answeredBy tells whose answer the client got.
func answeredBy(x *record.Exchange) string {
	switch last := x.Last(); {
	case last == nil || last.ClientStatus == 0:
		return "nobody" // the client left before
	case last.Status != 0:
		return "upstream"
	}
	return "imagebreaker"
}

// class tells whose fault an answer was. The faults of clients' media are kept
// apart from the provider's own: only the latter are a reason to wake somebody.
func class(x *record.Exchange, a *record.Attempt) string {
	switch a.Error {
	case "":
		return "ok"
	case record.Network:
		return "network"
	}
	switch x.RetryDecision(a) {
	case record.NoRetryMedia:
		return "client_media"
	case record.NoRetryHTTP4xx:
		return "client"
	case record.RetryRateLimited:
		return "rate_limited"
	}
	return "provider"
}

// maxReasons is how many reasons have a series of their own. The built-in rules
// know about 45; a user's rules may have any number.
const maxReasons = 64

// labelSet bounds the values of a label.
type labelSet struct {
	max int

	mu     sync.Mutex
	values map[string]bool
}

// value returns v if it is among the first max values, else "other".
func (s *labelSet) value(v string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values[v] {
		return v
	}
	if len(s.values) >= s.max {
		return "other"
	}
	if s.values == nil {
		s.values = map[string]bool{}
	}
	s.values[v] = true
	return v
}
