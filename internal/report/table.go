package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"imagebreaker/eventlog"
)

// Table prints events, one a line, below a line of headings. A line is written at
// once, so the widths of the columns do not depend on what is in them. The fields
// must not change after the first event.
type Table struct {
	W      io.Writer
	Zone   *time.Location // of the times; nil: the machine's
	Width  int            // columns of the terminal; 0: it is none, and lines are as long as need be
	Colour bool

	columns []column // nil before the first event
	day     string   // of the last event
}

// column is one of the table's, before its place in a terminal is known.
type column struct {
	head  string
	from  int // the width of a terminal from which it is shown
	width int
	most  int // which it grows to where there is room
	text  func(e *eventlog.Event, width int) string
}

// unlimited is the width of the longest cell where there is no terminal to fit in.
const unlimited = 256

// columnsFor are the columns for a terminal's width, 0 without one. What is left
// of the width goes to the last of those that can use it.
func columnsFor(width int) []column {
	columns := []column{
		{"TIME", 0, len(time.TimeOnly), len(time.TimeOnly), nil},
		{"WHAT", 0, 10, 10, nil},
		{"CLIENT", 59, 18, 18, client},
		{"MODEL", 80, 11, 24, func(e *eventlog.Event, _ int) string { return e.Model }},
		{"IMAGE", 68, 8, 8, image},
		{"HTTP", 0, 4, 7, status},
		{"SIZE", 120, 8, 8, size},
		{"WHY", 0, 15, 24, func(e *eventlog.Event, _ int) string { return cmp.Or(string(e.Reason), string(e.ErrorKind)) }},
	}
	if width == 0 {
		columns[0].most = len(time.DateTime)
		width = 1000
	}
	columns = slices.DeleteFunc(columns, func(c column) bool { return c.from > width })
	room := width - widthOf(columns)
	for i := len(columns) - 1; i >= 0; i-- {
		c := &columns[i]
		by := max(0, min(c.most-c.width, room))
		c.width += by
		room -= by
	}
	return columns
}

// widthOf is what columns take with a blank after each but the last.
func widthOf(columns []column) int {
	n := len(columns) - 1
	for _, c := range columns {
		n += c.width
	}
	return n
}

// Print prints e. The error is the writer's.
func (t *Table) Print(e *eventlog.Event) error {
	var b strings.Builder
	if t.columns == nil {
		t.columns = columnsFor(t.Width)
		b.WriteString(t.paint(heading(t.columns), bold) + "\n")
	}
	at := e.Time.In(cmp.Or(t.Zone, time.Local))
	if day := at.Format(time.DateOnly); t.Width > 0 && day != t.day {
		t.day = day
		b.WriteString(t.paint(day, grey) + "\n")
	}
	b.WriteString(t.row(e, at) + "\n")
	_, err := io.WriteString(t.W, b.String())
	return err
}

func heading(columns []column) string {
	var line string
	for _, c := range columns {
		line += terminal.FillRight(c.head, c.width) + " "
	}
	return strings.TrimRight(line, " ")
}

func (t *Table) row(e *eventlog.Event, at time.Time) string {
	clock, what, rest := t.columns[0], t.columns[1], t.columns[2:]
	if e.Protocol == "" { // it is about the proxy itself
		rest = []column{{width: widthOf(rest), text: process}}
	}
	layout := time.TimeOnly
	if clock.width > len(layout) {
		layout = time.DateTime
	}
	k := kindOf(e.Event)
	word := fit(k.word, what.width)
	blanks := strings.Repeat(" ", what.width-terminal.StringWidth(word))
	line := at.Format(layout) + " " + t.paint(word, k.colour) + blanks
	for _, c := range rest {
		most := c.width
		if t.Width == 0 {
			most = unlimited
		}
		line += " " + terminal.FillRight(fit(c.text(e, c.width), most), c.width)
	}
	return strings.TrimRight(line, " ")
}

func (t *Table) paint(s, colour string) string {
	if !t.Colour {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// apis are what is said for the longer names of the log.
var apis = map[string]string{"openai_chat": "chat", "openai_responses": "responses", "ollama_chat": "ollama", "ollama_generate": "ollama"}

// client is who asked: the API and the beginning of the session's id.
func client(e *eventlog.Event, _ int) string {
	return strings.TrimSpace(cmp.Or(apis[e.Protocol], e.Protocol) + " " + firstRunes(e.SessionID, 8))
}

// image is as much of the first image's sum as there is room for, and how
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

// status is what the client got, after what the API said if that is another and
// there is room.
func status(e *eventlog.Event, width int) string {
	got := cmp.Or(e.ClientStatus, e.Status)
	switch {
	case got == 0:
		return ""
	case e.Status == 0 || e.Status == got || width < len("500-400"):
		return strconv.Itoa(got)
	}
	return strconv.Itoa(e.Status) + "→" + strconv.Itoa(got)
}

func size(e *eventlog.Event, _ int) string {
	if e.RequestBytes <= 0 {
		return ""
	}
	return Bytes(e.RequestBytes)
}

// process is what there is to say of an event that is about the proxy itself.
func process(e *eventlog.Event, _ int) string {
	parts := []string{e.Detail}
	for _, p := range [][2]string{{"version", e.Version}, {"at", e.Address}, {"mode", e.Mode}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	if e.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("%d events lost", e.Dropped))
	}
	return strings.Trim(strings.Join(parts, ", "), ", ")
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
