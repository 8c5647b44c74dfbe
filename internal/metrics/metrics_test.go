package metrics_test

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/internal/metrics"
	"imagebreaker/internal/proxy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// full are metrics that have every series.
func full() *metrics.Metrics {
	m := metrics.New(metrics.Config{Version: "v1", Dropped: func() int { return 7 }})
	m.CountEntries(func() map[breaker.State]int { return map[breaker.State]int{breaker.Live: 3, breaker.Probing: 1} })
	media := proxy.Answered{Status: 400, ErrorKind: "http_4xx", RetryDecision: "non_retryable_client_media_error", Verdict: "permanent", Reason: "decode_failed"}
	for _, f := range []proxy.Finished{
		{Protocol: "anthropic", ClientStatus: 200, Bytes: 10, Answers: []proxy.Answered{{Status: 200}}, Added: 300 * time.Microsecond},
		{Protocol: "anthropic", ClientStatus: 400, Bytes: 10, Answers: []proxy.Answered{media}, Probe: proxy.ProbeFailed},
		{Protocol: "anthropic", ClientStatus: 200, Bytes: 10, Avoided: proxy.Avoided{How: proxy.ByHolding, Reason: "decode_failed", Bytes: 10}},
		{Protocol: "gemini", ClientStatus: 200, Bytes: 10, Answers: []proxy.Answered{{Status: 200}}, Repaired: true, Avoided: proxy.Avoided{How: proxy.ByRepairing, Reason: "too_large", Bytes: 4}, Added: 2 * time.Second},
		{Protocol: "gemini", ClientStatus: 200, Bytes: 10, Answers: []proxy.Answered{media, {Status: 200}}, Repaired: true, Probe: proxy.ProbeRecovered},
		{Protocol: "gemini", ClientStatus: 400, Bytes: 10, Answers: []proxy.Answered{media}, Avoided: proxy.Avoided{How: proxy.WouldHold, Reason: "decode_failed", Bytes: 9}, Probe: proxy.ProbeInconclusive},
		{Protocol: "gemini", ClientStatus: 502, Bytes: 10, Answers: []proxy.Answered{{ErrorKind: "network", RetryDecision: "retryable_network"}}},
		{Protocol: "gemini", Bytes: 10},
	} {
		m.Finished(f)
	}
	m.Event(eventlog.Event{Event: "internal_error"})
	m.Event(eventlog.Event{Event: "short_circuited", Protocol: "anthropic"})
	return m
}

func scrape(m *metrics.Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	return w.Body.String()
}

// own are the lines of a scrape that are not Go's, as they are on any machine.
func own(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, "imagebreaker_") && !strings.Contains(line, "go_version") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// Dashboards and alerts hang on these names.
func TestNames(t *testing.T) {
	t.Parallel()
	const path = "testdata/scrape.golden"
	got := own(scrape(full()))
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("not as in %s (-update writes it anew):\n%s", path, diff)
	}
}

func TestLint(t *testing.T) {
	t.Parallel()
	problems, err := promlint.New(strings.NewReader(scrape(full()))).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestGoAndProcess(t *testing.T) {
	t.Parallel()
	text := scrape(metrics.New(metrics.Config{Version: "v1"}))
	for _, name := range []string{"\ngo_goroutines ", "\nprocess_cpu_seconds_total ", `imagebreaker_build_info{go_version="go`, "\nimagebreaker_log_events_dropped_total 0\n"} {
		if !strings.Contains(text, name) {
			t.Errorf("no %q", name)
		}
	}
}

func TestAnswerClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, decision, class string }{
		{"", "", "ok"},
		{"http_4xx", "non_retryable_client_media_error", "client_media"},
		{"http_5xx", "non_retryable_client_media_error", "client_media"},
		{"stream_error", "non_retryable_client_media_error", "client_media"},
		{"http_4xx", "non_retryable_http_4xx", "client"},
		{"http_4xx", "retryable_rate_limited", "rate_limited"},
		{"http_5xx", "retryable_http_5xx", "provider"},
		{"stream_error", "retryable_http_5xx", "provider"},
		{"http_4xx", "retryable_network", "provider"}, // 408: there was an answer
		{"network", "retryable_network", "network"},
	} {
		m := metrics.New(metrics.Config{})
		m.Finished(proxy.Finished{Protocol: "p", ClientStatus: 1, Answers: []proxy.Answered{{Status: 1, ErrorKind: c.kind, RetryDecision: c.decision}}})
		if want := fmt.Sprintf("imagebreaker_upstream_answers_total{class=%q} 1\n", c.class); !strings.Contains(scrape(m), want) {
			t.Errorf("%s %s: no %s", c.kind, c.decision, want)
		}
	}
}

// Rules of the user's own may have any number of reasons.
func TestReasonsAreBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Config{})
	var counting sync.WaitGroup
	for i := range 200 {
		counting.Go(func() {
			reason := fmt.Sprintf("reason_%d", i)
			m.Finished(proxy.Finished{Protocol: "p", ClientStatus: 1, Answers: []proxy.Answered{{Status: 400, ErrorKind: "http_4xx", Verdict: "none", Reason: reason}}})
			m.Finished(proxy.Finished{Protocol: "p", ClientStatus: 1, Avoided: proxy.Avoided{How: proxy.ByHolding, Reason: reason, Bytes: 1}})
		})
	}
	counting.Wait()
	text := scrape(m)
	for _, name := range []string{"verdicts_total", "uploads_avoided_total"} {
		if n := strings.Count(text, "imagebreaker_"+name+"{"); n != 65 {
			t.Errorf("%s has %d series, want 64 and other", name, n)
		}
	}
	if !strings.Contains(text, `imagebreaker_verdicts_total{reason="other",verdict="none"} 136`) || !strings.Contains(text, "imagebreaker_uploads_avoided_bytes_total 200\n") {
		t.Error("the counts of the others are lost")
	}
}

// BenchmarkScrape is a scrape while ten thousand entries are remembered.
func BenchmarkScrape(b *testing.B) {
	br := breaker.New[string](breaker.Config{Capacity: 10000})
	for i := range 10000 {
		r := breaker.Request{Session: "s", Scope: "m", Items: []breaker.Item{{byte(i), byte(i >> 8), 1}}}
		br.Fail(br.Check(r).Ticket, breaker.Failure[string]{Culprits: r.Items})
	}
	m := metrics.New(metrics.Config{Version: "v1"})
	m.CountEntries(br.Count)
	h := m.Handler()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
}

func BenchmarkFinished(b *testing.B) {
	m := metrics.New(metrics.Config{})
	f := proxy.Finished{Protocol: "anthropic", ClientStatus: 200, Answers: []proxy.Answered{{Status: 200}}, Added: time.Millisecond}
	for b.Loop() {
		m.Finished(f)
	}
}
