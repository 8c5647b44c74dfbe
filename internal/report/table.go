package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"imagebreaker/eventlog"
)

// Table prints events, one a line, below a line of headings. The fields must
// not change after the first event.
type Table struct {
	W      io.Writer
	Zone   *time.Location // of the times; nil: the machine's
	Width  int            // columns of the terminal; 0: it is none, and lines are as long as need be
	Colour bool

	layout *layout // nil before the first event
	day    string  // of the last event
}

// Print prints e. The error is the writer's.
func (t *Table) Print(e *eventlog.Event) error {
	var b strings.Builder
	if t.layout == nil {
		t.layout = newLayout(t.Width)
		t.heading(&b)
	}
	at := e.Time.In(cmp.Or(t.Zone, time.Local))
	if day := at.Format(time.DateOnly); day != t.day && !t.layout.dated {
		t.day = day
		b.WriteString(t.paint(day, grey) + "\n")
	}
	t.row(&b, e, at)
	_, err := io.WriteString(t.W, b.String())
	return err
}

func (t *Table) heading(b *strings.Builder) {
	var cells []string
	for _, c := range t.layout.columns {
		cells = append(cells, padded(c.head, len(c.head), c.width))
	}
	b.WriteString(t.paint(strings.TrimRight(strings.Join(cells, t.layout.gap), " "), bold) + "\n")
}

func (t *Table) row(b *strings.Builder, e *eventlog.Event, at time.Time) {
	clock := at.Format(time.TimeOnly)
	if t.layout.dated {
		clock = at.Format(time.DateTime)
	}
	k := kindOf(e.Event)
	word, width := fit(k.word, wordWidth)
	cells := []string{clock, padded(t.paint(word, k.colour), width, wordWidth)}
	for _, c := range t.layout.cells(e) {
		text, width := fit(c.text(e, c.width), c.most)
		cells = append(cells, padded(text, width, c.width))
	}
	b.WriteString(strings.TrimRight(strings.Join(cells, t.layout.gap), " ") + "\n")
}

// padded fills s, of which the width is known, with blanks.
func padded(s string, width, to int) string { return s + strings.Repeat(" ", max(0, to-width)) }

func (t *Table) paint(s, colour string) string {
	if !t.Colour {
		return s
	}
	return painted(s, colour)
}

// Cells.

func model(e *eventlog.Event, _ int) string { return e.Model }

func clientCell(e *eventlog.Event, _ int) string { return client(e) }

func whyCell(e *eventlog.Event, _ int) string { return why(e) }

// image is as much of the first culprit's sum as there is room for, and how
// many more there are.
func image(e *eventlog.Event, width int) string {
	if len(e.Images) == 0 {
		return ""
	}
	more := ""
	if n := len(e.Images) - 1; n > 0 {
		more = " +" + strconv.Itoa(n)
	}
	return firstRunes(e.Images[0], max(1, width-len(more))) + more
}

const bothStatuses = 7 // columns of 500→400

// status is what the client got, after what the API said if that is another
// and there is room.
func status(e *eventlog.Event, width int) string {
	got := cmp.Or(e.ClientStatus, e.Status)
	switch {
	case got == 0:
		return ""
	case e.Status == 0 || e.Status == got || width < bothStatuses:
		return strconv.Itoa(got)
	}
	return strconv.Itoa(e.Status) + "→" + strconv.Itoa(got)
}

func requestSize(e *eventlog.Event, _ int) string {
	if e.RequestBytes <= 0 {
		return ""
	}
	return Bytes(e.RequestBytes)
}

// process is what there is to say of an event that is about the proxy itself.
func process(e *eventlog.Event, _ int) string {
	var parts []string
	add := func(before, s string) {
		if s != "" {
			parts = append(parts, before+s)
		}
	}
	add("", e.Detail)
	add("version ", e.Version)
	add("at ", e.Address)
	add("mode ", e.Mode)
	if e.Dropped > 0 {
		add("", fmt.Sprintf("%d events lost", e.Dropped))
	}
	return strings.Join(parts, ", ")
}
