package metrics

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"imagebreaker/internal/record"
)

// prefix begins the name of every metric.
const prefix = "imagebreaker_"

// counters are the metrics that are updated while requests pass.
type counters struct {
	requests       *prometheus.CounterVec
	answers        *prometheus.CounterVec
	verdicts       *prometheus.CounterVec
	avoided        *prometheus.CounterVec
	avoidedBytes   prometheus.Counter
	avoidable      *prometheus.CounterVec
	avoidableBytes prometheus.Counter
	substituted    *prometheus.CounterVec
	probes         *prometheus.CounterVec
	internalErrors prometheus.Counter
	added          prometheus.Histogram
}

func newCounters(r prometheus.Registerer) counters {
	auto := promauto.With(prometheus.WrapRegistererWithPrefix(prefix, r))
	vector := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	counter := func(name, help string) prometheus.Counter {
		return auto.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	c := counters{
		requests: vector("requests_total", "Requests of known APIs, by who answered them: the upstream, imagebreaker (short-circuited, or the upstream cannot be reached), or nobody (the client left).",
			"protocol", "answered_by"),
		answers: vector("upstream_answers_total", "Answers of the upstream: ok, client_media (the fault of the request's image), client, rate_limited, provider, network (none, or it was aborted).",
			"class"),
		verdicts: vector("verdicts_total", "Errors of the upstream that were classified, by verdict.",
			"verdict", "reason"),
		avoided: vector("uploads_avoided_total", "Uploads of known-bad images that did not take place: the request was short-circuited (held), or a placeholder substituted before it was sent (repaired).",
			"protocol", "reason", "action"),
		avoidedBytes: counter("uploads_avoided_bytes_total", "Bytes that clients sent and upstreams did not get because of a known-bad image."),
		avoidable: vector("dry_run_uploads_avoidable_total", "Uploads of known-bad images that took place because of dry-run.",
			"protocol", "reason"),
		avoidableBytes: counter("dry_run_uploads_avoidable_bytes_total", "Bytes of uploads that took place because of dry-run."),
		substituted: vector("repaired_requests_total", "Requests that were sent with placeholders for images.",
			"protocol"),
		probes: vector("probes_total", "Requests let through to see whether a failure persists, by result.",
			"result"),
		internalErrors: counter("internal_errors_total", "Internal errors of imagebreaker; the requests were forwarded all the same."),
		added: auto.NewHistogram(prometheus.HistogramOpts{
			Name: "added_latency_seconds", Help: "Time between receiving the end of a request's body and sending it to the upstream.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1},
		}),
	}
	c.initialize()
	return c
}

// initialize creates the series whose labels are known beforehand: a rate needs the
// zero before the one.
func (c counters) initialize() {
	for _, class := range []string{"ok", "client_media", "client", "rate_limited", "provider", "network"} {
		c.answers.WithLabelValues(class)
	}
	for _, result := range []record.Probe{record.ProbeRecovered, record.ProbeFailed, record.ProbeInconclusive} {
		c.probes.WithLabelValues(string(result))
	}
}

// registerProcess registers the metrics of the process itself.
func registerProcess(r prometheus.Registerer, c Config) {
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	auto := promauto.With(prometheus.WrapRegistererWithPrefix(prefix, r))
	auto.NewGaugeVec(prometheus.GaugeOpts{Name: "build_info", Help: "Which build this is; always 1."}, []string{"version", "go_version"}).
		WithLabelValues(c.Version, runtime.Version()).Set(1)
	auto.NewCounterFunc(prometheus.CounterOpts{Name: "log_events_dropped_total", Help: "Events that the event log has lost."}, func() float64 {
		if c.Dropped == nil {
			return 0
		}
		return float64(c.Dropped())
	})
}
