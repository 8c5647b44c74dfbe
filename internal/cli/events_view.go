package cli

import (
	"bufio"
	"bytes"

	"imagebreaker/eventlog"
	"imagebreaker/internal/report"
)

// eventsView prints the selected events.
type eventsView struct {
	add func(eventlog.Line) error
	end func(damaged int) error // is called last, with the number of damaged lines
}

// newEventsView returns the view that q asks for.
func newEventsView(env Env, q eventsQuery, out *bufio.Writer) eventsView {
	width, isTerminal := terminalOf(env.Stdout)
	switch {
	case q.stats:
		return statsView(out, q.json, isTerminal)
	case q.json:
		return eventsView{
			add: func(l eventlog.Line) error { return writeJSON(out, l.Text, isTerminal) },
			end: func(int) error { return nil },
		}
	}
	table := &report.Table{W: out, Width: width, Colour: isTerminal && wantsColour(env.Getenv)}
	return eventsView{
		add: func(l eventlog.Line) error { return table.Print(&l.Event) },
		end: func(int) error { return nil },
	}
}

// statsView prints one summary at the end.
func statsView(out *bufio.Writer, asJSON, isTerminal bool) eventsView {
	stats := report.NewStats()
	return eventsView{
		add: func(l eventlog.Line) error {
			stats.Add(&l.Event)
			return nil
		},
		end: func(damaged int) error {
			stats.Damaged = int64(damaged)
			if !asJSON {
				return stats.Write(out, nil)
			}
			var object bytes.Buffer
			if err := printJSON(&object, stats); err != nil {
				return err
			}
			return writeJSON(out, bytes.TrimSpace(object.Bytes()), isTerminal)
		},
	}
}

// writeJSON writes a line. Strings in JSON may contain terminal escapes.
func writeJSON(w *bufio.Writer, text []byte, isTerminal bool) error {
	if isTerminal {
		text = report.SafeJSON(text)
	}
	w.Write(text) // w keeps its error
	return w.WriteByte('\n')
}
