package cli

import (
	"bufio"
	"bytes"

	"imagebreaker/eventlog"
	"imagebreaker/internal/report"
)

// eventsView is what is made of the events that are wanted.
type eventsView interface {
	add(eventlog.Line) error
	// end comes after the last, with the number of damaged lines.
	end(damaged int) error
}

// newEventsView returns the view that q asks for.
func newEventsView(env Env, q eventsQuery, out *bufio.Writer) eventsView {
	width, isTerminal := terminalOf(env.Stdout)
	switch {
	case q.stats:
		return &statsView{out: out, stats: report.NewStats(), asJSON: q.json, safe: isTerminal}
	case q.json:
		return &rawView{out: out, safe: isTerminal}
	}
	return &tableView{report.Table{W: out, Width: width, Colour: isTerminal && wantsColour(env.Getenv)}}
}

type tableView struct{ report.Table }

func (v *tableView) add(l eventlog.Line) error { return v.Print(&l.Event) }
func (v *tableView) end(int) error             { return nil }

// rawView shows lines as they stand in the log.
type rawView struct {
	out  *bufio.Writer
	safe bool // it is a terminal that they go to
}

func (v *rawView) add(l eventlog.Line) error { return writeJSON(v.out, l.Text, v.safe) }
func (v *rawView) end(int) error             { return nil }

// statsView shows one page, or object, at the end.
type statsView struct {
	out    *bufio.Writer
	stats  *report.Stats
	asJSON bool
	safe   bool
}

func (v *statsView) add(l eventlog.Line) error {
	v.stats.Add(&l.Event)
	return nil
}

func (v *statsView) end(damaged int) error {
	v.stats.Damaged = int64(damaged)
	if !v.asJSON {
		return v.stats.Write(v.out, nil)
	}
	var object bytes.Buffer
	if err := printJSON(&object, v.stats); err != nil {
		return err
	}
	return writeJSON(v.out, bytes.TrimSpace(object.Bytes()), v.safe)
}

// writeJSON writes a line. What is text in JSON may still be a command for a
// terminal.
func writeJSON(w *bufio.Writer, text []byte, safe bool) error {
	if safe {
		text = report.SafeJSON(text)
	}
	w.Write(text) // the writer keeps its error
	return w.WriteByte('\n')
}
