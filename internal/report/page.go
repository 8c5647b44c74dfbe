package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
)

// Write writes the stats as a page, with times in the zone (nil: the
// machine's). What was not sent and what would not have been stand apart.
func (s *Stats) Write(w io.Writer, zone *time.Location) error {
	var b strings.Builder
	b.WriteString(s.period(cmp.Or(zone, time.Local)) + "\n")
	section(&b, "Uploads avoided", s.avoided())
	if s.WouldHold.Requests > 0 {
		section(&b, "Sent in dry-run, would have been held", s.WouldHold.rows("requests"))
	}
	section(&b, "Otherwise", s.others())
	s.groups(&b, "By reason", s.ByReason)
	s.groups(&b, "By model", s.ByModel)
	s.groups(&b, "By session", s.BySession)
	b.WriteString("\nTokens are estimated: " + tokensRule + ".\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Stats) period(zone *time.Location) string {
	if s.From == nil {
		return "No events"
	}
	return fmt.Sprintf("%s from %s to %s", counted(s.Events, "event"), s.From.In(zone).Format(time.DateTime), s.To.In(zone).Format(time.DateTime))
}

// row is a line of the page: numbers, and behind them what they are about, which
// must be safe.
type row struct {
	numbers []string
	about   string
}

// section writes rows below a title, their numbers aligned to the right.
func section(b *strings.Builder, title string, rows []row) {
	b.WriteString("\n" + title + "\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, r := range rows {
		line := strings.Join(r.numbers, "\t") + "\t"
		if r.about != "" {
			line += "  " + r.about
		}
		fmt.Fprintln(w, line)
	}
	w.Flush()
}

func count(n int64, about string) row { return row{[]string{humanize.Comma(n)}, about} }

func (s *Stats) avoided() []row {
	return append(s.Held.rows("requests held: answered here, nothing of them was uploaded"),
		count(s.Repaired.Images, "images left out of "+counted(s.Repaired.Requests, "repaired request")+"; their bytes are not in the log"),
		count(s.Repaired.Tokens, "media tokens in these, estimated"))
}

func (s Saved) rows(requests string) []row {
	return []row{
		count(s.Requests, requests),
		{[]string{Bytes(s.Bytes)}, "in these"},
		count(s.Tokens, "media tokens in these, estimated: "+counted(s.Parts, "media part")),
	}
}

func (s *Stats) others() []row {
	rows := []row{
		count(s.Failures, "failures recorded"),
		count(s.Probes, "probes without a result"),
		count(s.Recovered, "recovered: the API took the image after all"),
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Errors)) {
		if n := s.Errors[kind]; n > 0 {
			rows = append(rows, count(n, "other errors of the API: "+string(kind)))
		}
	}
	return append(rows,
		count(s.Bypassed, "requests bypassed: forwarded without a look"),
		count(s.InternalErrors, "internal errors of imagebreaker"),
		count(s.Lost, "events lost by the log"))
}

// groups writes a section with a line for each of the groups with most events.
func (s *Stats) groups(b *strings.Builder, title string, g Groups) {
	top, others, names := g.top()
	if len(top) == 0 {
		return
	}
	columns := 5
	if s.WouldHold.Requests > 0 {
		columns = 8
	}
	rows := []row{{numbers: []string{"failed", "repaired", "held", "bytes", "tokens", "would hold", "bytes", "tokens"}[:columns]}}
	for _, o := range top {
		rows = append(rows, row{o.numbers()[:columns], fit(cmp.Or(o.Name, "(none)"), 36)})
	}
	if names > 0 {
		rows = append(rows, row{others.numbers()[:columns], fmt.Sprintf("%d or more others", names)})
	}
	section(b, title, rows)
}

func (g *Group) numbers() []string {
	return []string{
		humanize.Comma(g.Failures), humanize.Comma(g.Repaired), humanize.Comma(g.Held), Bytes(g.HeldBytes), humanize.Comma(g.Tokens),
		humanize.Comma(g.WouldHold), Bytes(g.WouldHoldBytes), humanize.Comma(g.WouldHoldTokens),
	}
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return humanize.Comma(n) + " " + what + "s"
}
