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
	"imagebreaker/internal/proxy"
)

// Config is what is told beside the counts.
type Config struct {
	Version string
	// Dropped is how many events the log has lost so far. Nil: none.
	Dropped func() int
}

// Metrics counts. It is a proxy.Observer. Make one with New.
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

// Event implements proxy.Observer.
func (m *Metrics) Event(e eventlog.Event) {
	if e.Event == "internal_error" {
		m.internalErrors.Inc()
	}
}

// Finished implements proxy.Observer.
func (m *Metrics) Finished(f proxy.Finished) {
	m.requests.WithLabelValues(f.Protocol, answeredBy(f)).Inc()
	for _, a := range f.Answers {
		m.answer(a)
	}
	if f.Repaired {
		m.repairs.WithLabelValues(f.Protocol).Inc()
	}
	if f.Probe != "" {
		m.probes.WithLabelValues(string(f.Probe)).Inc()
	}
	if f.Added > 0 {
		m.added.Observe(f.Added.Seconds())
	}
	m.avoid(f)
}

func (m *Metrics) answer(a proxy.Answered) {
	m.answers.WithLabelValues(class(a)).Inc()
	if a.Verdict != "" {
		m.verdicts.WithLabelValues(a.Verdict, m.reasons.label(a.Reason)).Inc()
	}
}

func (m *Metrics) avoid(f proxy.Finished) {
	a := f.Avoided
	if a.How == "" {
		return
	}
	reason := m.reasons.label(a.Reason)
	switch a.How {
	case proxy.WouldHold:
		m.avoidable.WithLabelValues(f.Protocol, reason).Inc()
		m.avoidableBytes.Add(float64(a.Bytes))
	default:
		m.avoided.WithLabelValues(f.Protocol, reason, string(a.How)).Inc()
		m.avoidedBytes.Add(float64(a.Bytes))
	}
}

// answeredBy tells whose answer the client got.
func answeredBy(f proxy.Finished) string {
	switch last := len(f.Answers) - 1; {
	case f.ClientStatus == 0:
		return "nobody" // the client left before
	case last >= 0 && f.Answers[last].Status != 0:
		return "upstream"
	}
	return "imagebreaker"
}
