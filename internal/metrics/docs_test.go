package metrics_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	used    = regexp.MustCompile(`\bimagebreaker_\w+`)
	labels  = regexp.MustCompile(`\b(imagebreaker_\w+)\{([^}]*)\}`)
	matcher = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

// The metrics that dashboards and alerts query must exist: an unknown name is no
// error to Prometheus, only an empty panel and an alert that never fires.
func TestDashboardAndAlertsUseExistingMetrics(t *testing.T) {
	t.Parallel()
	text := scrape(full())
	for _, file := range []string{"grafana.json", "alerts.yml", "alerts_test.yml"} {
		doc := read(t, file)
		names := used.FindAllString(doc, -1)
		if len(names) < 4 {
			t.Errorf("%s: names only %q", file, names)
		}
		for _, name := range names {
			if !strings.Contains(text, "\n"+name+"{") && !strings.Contains(text, "\n"+name+" ") {
				t.Errorf("%s: there is no %s", file, name)
			}
		}
		for _, m := range labels.FindAllStringSubmatch(doc, -1) {
			for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
				checkLabel(t, file, text, m[1], l[1], l[2])
			}
		}
	}
}

// checkLabel wants a series with the label, unless Prometheus itself adds it.
func checkLabel(t *testing.T, file, text, name, label, value string) {
	t.Helper()
	if label == "instance" || label == "job" {
		return
	}
	series := regexp.MustCompile(`(?m)^` + name + `\{[^}]*\b` + label + `="` + regexp.QuoteMeta(value) + `"`)
	if !series.MatchString(text) {
		t.Errorf("%s: no %s has %s=%q", file, name, label, value)
	}
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	var d struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana.json")), &d); err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, p := range d.Panels {
		if p.Title == "" || seen[p.ID] || p.GridPos.X+p.GridPos.W > 24 || len(p.Targets) == 0 {
			t.Errorf("panel %+v", p)
		}
		seen[p.ID] = true
	}
	if len(seen) < 6 {
		t.Errorf("%d panels", len(seen))
	}
}

func TestPromtool(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool: scrape and alerts are not checked with it")
	}
	for _, c := range []struct {
		args  string
		stdin string
	}{
		{"check metrics", own(scrape(full()))},
		{"check rules alerts.yml", ""},
		{"test rules alerts_test.yml", ""},
	} {
		cmd := exec.Command(promtool, strings.Fields(c.args)...)
		cmd.Dir, cmd.Stdin = "../../docs", strings.NewReader(c.stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", c.args, err, out)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
