package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
)

// Write writes the stats as a page, with times in the zone (nil: the
// machine's). What was not sent and what would not have been stand apart.
func (s *Stats) Write(w io.Writer, zone *time.Location) error {
	var b strings.Builder
	s.writePeriod(&b, cmp.Or(zone, time.Local))
	s.writeSaved(&b)
	if s.WouldHold.Requests > 0 {
		s.writeDryRun(&b)
	}
	s.writeCounts(&b)
	for _, g := range []struct {
		title string
		Groups
	}{{"By reason", s.ByReason}, {"By model", s.ByModel}, {"By session", s.BySession}} {
		s.writeGroups(&b, g.title, g.Groups)
	}
	b.WriteString("\n" + wrapped("Tokens are estimated: "+s.Rule+".", narrowest))
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Stats) writePeriod(b *strings.Builder, zone *time.Location) {
	if s.From == nil {
		b.WriteString("No events\n")
		return
	}
	fmt.Fprintf(b, "%s from %s to %s\n", numbered(s.Events, "event"), s.From.In(zone).Format(time.DateTime), s.To.In(zone).Format(time.DateTime))
}

func (s *Stats) writeSaved(b *strings.Builder) {
	b.WriteString("\nUploads avoided\n")
	writeGrid(b, []row{
		line("requests held", grouped(s.Held.Requests), "answered here, nothing of them was uploaded"),
		line("bytes of these", Bytes(s.Held.Bytes), ""),
		line("media tokens of these", grouped(s.Held.Tokens), "estimated, in "+numbered(s.Held.Parts, "media part")),
		line("images left out", grouped(s.Repaired.Images), "of "+numbered(s.Repaired.Requests, "repaired request")+"; their bytes are not in the log"),
		line("media tokens of these", grouped(s.Repaired.Tokens), "estimated"),
	})
}

func (s *Stats) writeDryRun(b *strings.Builder) {
	b.WriteString("\nSent in dry-run, would have been held\n")
	writeGrid(b, []row{
		line("requests", grouped(s.WouldHold.Requests), ""),
		line("bytes of these", Bytes(s.WouldHold.Bytes), ""),
		line("media tokens of these", grouped(s.WouldHold.Tokens), "estimated, in "+numbered(s.WouldHold.Parts, "media part")),
	})
}

func (s *Stats) writeCounts(b *strings.Builder) {
	rows := []row{
		line("failures recorded", grouped(s.Failures), ""),
		line("probes without a result", grouped(s.Probes), ""),
		line("recovered", grouped(s.Recovered), "the API took the image after all"),
		line("other errors of the API", grouped(s.Errors.total()), s.Errors.String()),
		line("requests not looked at", grouped(s.Unseen), ""),
		line("imagebreaker's own faults", grouped(s.Faults), ""),
	}
	if s.Lost > 0 {
		rows = append(rows, line("events lost by the log", grouped(s.Lost), ""))
	}
	b.WriteString("\nOtherwise\n")
	writeGrid(b, rows)
}

func (u UpstreamErrors) total() int64 { return u.Client + u.Server + u.Stream + u.Network + u.Other }

// String tells how many there were of each kind; "" if there were none.
func (u UpstreamErrors) String() string {
	var parts []string
	for _, k := range []struct {
		name string
		n    int64
	}{{"4xx", u.Client}, {"5xx", u.Server}, {"in a stream", u.Stream}, {"network", u.Network}, {"other", u.Other}} {
		if k.n > 0 {
			parts = append(parts, k.name+" "+grouped(k.n))
		}
	}
	return strings.Join(parts, ", ")
}

// writeGroups writes a line for each of the groups with most events.
func (s *Stats) writeGroups(b *strings.Builder, title string, g Groups) {
	top, others, names := g.top()
	if len(top) == 0 {
		return
	}
	dry := s.WouldHold.Requests > 0
	rows := []row{groupRow(dry, "", "failed", "repaired", "held", "bytes", "tokens", "would hold", "bytes", "tokens")}
	for _, o := range top {
		name, _ := fit(cmp.Or(o.Name, "(none)"), 36)
		rows = append(rows, o.row(dry, name))
	}
	if names > 0 {
		rows = append(rows, others.row(dry, fmt.Sprintf("%d or more others", names)))
	}
	b.WriteString("\n" + title + "\n")
	writeGrid(b, rows)
}

func (g *Group) row(dry bool, name string) row {
	return groupRow(dry, name, grouped(g.Failures), grouped(g.Repaired), grouped(g.Held), Bytes(g.HeldBytes), grouped(g.Tokens),
		grouped(g.WouldHold), Bytes(g.WouldHoldBytes), grouped(g.WouldHoldTokens))
}

// groupRow is a line of a group's, with what only dry-run has if it is asked for.
func groupRow(dry bool, cells ...string) row {
	if !dry {
		cells = cells[:6]
	}
	return row{cells, ""}
}

// line is a number with its label and a note.
func line(label, number, note string) row { return row{[]string{label, number}, note} }

func numbered(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}
