package metrics

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
)

// prefix is what all names begin with.
const prefix = "imagebreaker_"

// counters are what is counted while requests pass.
type counters struct {
	requests       *prometheus.CounterVec
	answers        *prometheus.CounterVec
	verdicts       *prometheus.CounterVec
	avoided        *prometheus.CounterVec
	avoidedBytes   prometheus.Counter
	avoidable      *prometheus.CounterVec
	avoidableBytes prometheus.Counter
	repairs        *prometheus.CounterVec
	probes         *prometheus.CounterVec
	internalErrors prometheus.Counter
	added          prometheus.Histogram
}

func newCounters() counters {
	c := counters{
		requests: vector("requests_total", "Requests of known APIs, by who answered them: the upstream, imagebreaker (held, or the upstream cannot be reached), or nobody (the client left).",
			"protocol", "answered_by"),
		answers: vector("upstream_answers_total", "Answers of the upstream: ok, client_media (the fault of the request's image), client, rate_limited, provider, network (none, or it broke off).",
			"class"),
		verdicts: vector("verdicts_total", "Errors of the upstream that were judged, by verdict.",
			"verdict", "reason"),
		avoided: vector("uploads_avoided_total", "Uploads of known-bad images that did not take place: the request was held, or repaired before it was sent.",
			"protocol", "reason", "action"),
		avoidedBytes: counter("uploads_avoided_bytes_total", "Bytes that clients sent and upstreams did not get because of a known-bad image."),
		avoidable: vector("dry_run_uploads_avoidable_total", "Uploads of known-bad images that took place because of dry-run.",
			"protocol", "reason"),
		avoidableBytes: counter("dry_run_uploads_avoidable_bytes_total", "Bytes of uploads that took place because of dry-run."),
		repairs: vector("repaired_requests_total", "Requests that were sent with notes in the place of images.",
			"protocol"),
		probes: vector("probes_total", "Requests let through to see whether a failure still holds, by what came of it.",
			"result"),
		internalErrors: counter("internal_errors_total", "Faults of imagebreaker's own; the requests went through."),
		added: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: prefix + "added_latency_seconds", Help: "Time from the end of a request's body to its way to the upstream.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1},
		}),
	}
	c.zero()
	return c
}

// zero shows series that are known before the first of their kind: a rate needs
// the zero before the one.
func (c counters) zero() {
	for _, class := range classes {
		c.answers.WithLabelValues(class)
	}
	for _, result := range []string{"recovered", "failed", "inconclusive"} {
		c.probes.WithLabelValues(result)
	}
}

func (c counters) all() []prometheus.Collector {
	return []prometheus.Collector{
		c.requests, c.answers, c.verdicts, c.avoided, c.avoidedBytes, c.avoidable, c.avoidableBytes, c.repairs, c.probes, c.internalErrors, c.added,
	}
}

func vector(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help}, labels)
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: prefix + name, Help: help})
}

func buildInfo(version string) prometheus.Collector {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: prefix + "build_info", Help: "Which build this is; always 1."}, []string{"version", "go_version"})
	g.WithLabelValues(version, runtime.Version()).Set(1)
	return g
}

func dropped(count func() int) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: prefix + "log_events_dropped_total", Help: "Events that the event log has lost."}, func() float64 {
		if count == nil {
			return 0
		}
		return float64(count())
	})
}
