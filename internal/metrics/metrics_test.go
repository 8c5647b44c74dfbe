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
	"imagebreaker/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// full returns metrics that have every series.
func full() *metrics.Metrics {
	m := metrics.New(metrics.Config{Version: "v1", Dropped: func() int { return 7 }})
	m.CountEntries(func() map[breaker.State]int { return map[breaker.State]int{breaker.Open: 3, breaker.Probing: 1} })
	entry := record.Entry{Signature: "s", Reason: record.DecodeFailed}
	probed := []record.Entry{entry}
	well := record.Attempt{Sent: true, Status: 200, ClientStatus: 200}
	media := record.Attempt{Sent: true, Status: 400, ClientStatus: 400, Error: record.HTTP4xx, Verdict: record.Permanent, Reason: record.DecodeFailed, Recorded: &entry}
	failedProbe, wouldBe, without, recovered := media, media, well, well
	failedProbe.Probed = probed
	wouldBe.Rejected, wouldBe.Probed, wouldBe.Recorded = &entry, []record.Entry{{Signature: "other"}}, nil
	without.Placeholders, without.Bytes = []record.Placeholder{{Reason: record.TooLarge}}, 6
	recovered.Placeholders, recovered.Probed, recovered.Cleared = without.Placeholders, probed, probed
	for _, x := range []record.Exchange{
		{Protocol: "anthropic", Attempts: []record.Attempt{well}, Added: 300 * time.Microsecond},
		{Protocol: "anthropic", Attempts: []record.Attempt{failedProbe}},
		{Protocol: "anthropic", Attempts: []record.Attempt{{Rejected: &entry, ClientStatus: 200}}},
		{Protocol: "gemini", Attempts: []record.Attempt{without}, Added: 2 * time.Second},
		{Protocol: "gemini", Attempts: []record.Attempt{media, recovered}},
		{Protocol: "gemini", Attempts: []record.Attempt{wouldBe}},
		{Protocol: "gemini", Attempts: []record.Attempt{{Sent: true, Error: record.Network, ClientStatus: 502}}},
		{Protocol: "gemini", Attempts: []record.Attempt{{Sent: true}}},
	} {
		x.Bytes, x.Request = 10, &record.Request{Media: 1}
		m.Finished(x)
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

// own returns the lines of a scrape that are the same on any machine: without Go's
// own.
func own(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, "imagebreaker_") && !strings.Contains(line, "go_version") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// Dashboards and alerts depend on these names.
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
		t.Errorf("not as in %s (-update rewrites it):\n%s", path, diff)
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
	for _, c := range []struct {
		kind    record.ErrorKind
		status  int
		verdict record.Verdict
		reason  record.Reason
		class   string
	}{
		{"", 200, "", "", "ok"},
		{record.HTTP4xx, 400, record.Permanent, record.DecodeFailed, "client_media"},
		{record.HTTP5xx, 500, record.Permanent, record.DecodeFailed, "client_media"},
		{record.StreamError, 200, record.Permanent, record.DecodeFailed, "client_media"},
		{record.HTTP4xx, 400, record.None, record.Schema, "client"},
		{record.HTTP4xx, 429, record.None, record.RateLimit, "rate_limited"},
		{record.HTTP5xx, 529, record.None, record.Overloaded, "provider"},
		{record.StreamError, 200, record.None, record.Overloaded, "provider"},
		{record.HTTP4xx, 408, record.None, record.Timeout, "provider"}, // there was an answer
		{record.Network, 0, "", "", "network"},
	} {
		m := metrics.New(metrics.Config{})
		a := record.Attempt{Sent: true, Status: c.status, ClientStatus: 1, Error: c.kind, Verdict: c.verdict, Reason: c.reason}
		m.Finished(record.Exchange{Protocol: "p", Request: &record.Request{Media: 1}, Attempts: []record.Attempt{a}})
		if want := fmt.Sprintf("imagebreaker_upstream_answers_total{class=%q} 1\n", c.class); !strings.Contains(scrape(m), want) {
			t.Errorf("%s %d %s: no %s", c.kind, c.status, c.reason, want)
		}
	}
}

// A user's rules may have any number of reasons.
func TestReasonsAreBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Config{})
	var counting sync.WaitGroup
	for i := range 200 {
		counting.Go(func() {
			reason := record.Reason(fmt.Sprintf("reason_%d", i))
			judged := record.Attempt{Sent: true, Status: 400, ClientStatus: 1, Error: record.HTTP4xx, Verdict: record.None, Reason: reason}
			rejected := record.Attempt{Rejected: &record.Entry{Reason: reason}, ClientStatus: 1}
			m.Finished(record.Exchange{Protocol: "p", Attempts: []record.Attempt{judged}})
			m.Finished(record.Exchange{Protocol: "p", Bytes: 1, Attempts: []record.Attempt{rejected}})
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
	br := breaker.New(breaker.Config[string]{Capacity: 10000})
	for i := range 10000 {
		r := breaker.Request{Session: "s", Scope: "m", Items: []breaker.Item{{byte(i), byte(i >> 8), 1}}}
		lease, _ := br.Acquire(r)
		lease.Fail(breaker.Failure[string]{Items: r.Items})
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
	f := record.Exchange{Protocol: "anthropic", Attempts: []record.Attempt{{Sent: true, Status: 200, ClientStatus: 200}}, Added: time.Millisecond}
	for b.Loop() {
		m.Finished(f)
	}
}
