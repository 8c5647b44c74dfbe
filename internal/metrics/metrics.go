// Package metrics counts what the proxy does, for Prometheus.
//
// No label is a session, a model, an address or anything else that a client or
// an upstream makes up: the number of series is bounded.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

// Config is what is told beside the counts.
type Config struct {
	Version string
	// Dropped is how many events the log has lost so far. Nil: none.
	Dropped func() int
}

// Metrics counts what is recorded. Make one with New.
type Metrics struct {
	registry *prometheus.Registry
	counters
	reasons *names
}

// New returns metrics on a registry of their own, all at zero.
func New(c Config) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), counters: newCounters(), reasons: newNames(maxReasons)}
	m.registry.MustRegister(m.all()...)
	m.registry.MustRegister(
		buildInfo(c.Version), dropped(c.Dropped),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// CountEntries adds the gauge of what is remembered, which is asked for at each
// scrape. Call it once at most.
func (m *Metrics) CountEntries(count func() map[breaker.State]int) {
	m.registry.MustRegister(entries{count})
}

// Handler shows the metrics as Prometheus reads them.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Event counts an event.
func (m *Metrics) Event(e eventlog.Event) {
	if e.Event == record.InternalError {
		m.internalErrors.Inc()
	}
}

// Finished counts a request that is over.
func (m *Metrics) Finished(x record.Exchange) {
	m.requests.WithLabelValues(x.Protocol, answeredBy(&x)).Inc()
	for i := range x.Attempts {
		m.attempt(&x, &x.Attempts[i])
	}
	if last := x.Last(); last != nil && len(last.Placeholders) > 0 {
		m.repairs.WithLabelValues(x.Protocol).Inc()
	}
	if probe := x.Probe(); probe != "" {
		m.probes.WithLabelValues(string(probe)).Inc()
	}
	if x.Added > 0 {
		m.added.Observe(x.Added.Seconds())
	}
	m.avoid(&x)
}

func (m *Metrics) attempt(x *record.Exchange, a *record.Attempt) {
	if !a.Answered() {
		return
	}
	m.answers.WithLabelValues(class(x, a)).Inc()
	if a.Verdict != "" {
		m.verdicts.WithLabelValues(string(a.Verdict), m.reasons.label(string(a.Reason))).Inc()
	}
}

func (m *Metrics) avoid(x *record.Exchange) {
	a := x.Avoided()
	if a.How == "" {
		return
	}
	reason := m.reasons.label(string(a.Reason))
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
