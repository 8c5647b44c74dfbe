package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"imagebreaker/breaker"
)

// entries is the gauge of what is remembered.
type entries struct {
	count func() map[breaker.State]int
}

func entriesDesc() *prometheus.Desc {
	return prometheus.NewDesc(prefix+"entries", "Failures that are remembered: live ones reject requests, half-open ones let the next through, probing ones wait for its answer.", []string{"state"}, nil)
}

// Describe implements prometheus.Collector.
func (e entries) Describe(to chan<- *prometheus.Desc) { to <- entriesDesc() }

// Collect implements prometheus.Collector.
func (e entries) Collect(to chan<- prometheus.Metric) {
	count, desc := e.count(), entriesDesc()
	for _, s := range []breaker.State{breaker.Open, breaker.HalfOpen, breaker.Probing} {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(count[s]), string(s))
	}
}
