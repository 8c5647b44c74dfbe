package report

import (
	"time"

	"imagebreaker/eventlog"
)

// Widths of the columns that always have the same.
const (
	clockWidth = len(time.TimeOnly)
	wordWidth  = 10
)

// narrowest is the width at which all columns but the size are there.
const narrowest = 80

// unbounded is the longest cell where there is no terminal to fit in.
const unbounded = 64

// column is one of the table's. The first two, time and word, have no text.
type column struct {
	head  string
	width int
	most  int // width, or more if a line need not fit
	text  func(e *eventlog.Event, width int) string
}

// layout is which columns there are, and how wide.
type layout struct {
	gap     string
	dated   bool // with the day in each line, instead of a line for each day
	columns []column
	rest    int // columns that are left for an event without client
}

// sizes are the widths of what can be narrow or wide.
type sizes struct{ clock, client, model, image, status, size, why, gap int }

// newLayout makes the best of a terminal's width; 0 means there is none.
func newLayout(width int) *layout {
	room := width - narrowest
	if width == 0 {
		room = 1000
	}
	s := sizes{clock: clockWidth, client: 18, model: 11, image: 8, status: 4, why: 15, gap: 1}
	s.shrink(&room)
	s.grow(&room)
	l := s.layout()
	if width == 0 {
		for i := range l.columns {
			l.columns[i].most = unbounded
		}
		l.rest = 4 * unbounded
	}
	return l
}

// shrink gives up columns until the room is no longer less than none.
func (s *sizes) shrink(room *int) {
	for _, w := range []*int{&s.model, &s.image, &s.client} {
		if *room < 0 {
			*room += *w + s.gap
			*w = 0
		}
	}
}

// grow uses up the room, what helps most first.
func (s *sizes) grow(room *int) {
	for _, g := range []struct {
		width *int
		by    int
		parts bool // less than all of it helps, too
		also  int  // room that it takes besides
	}{
		{&s.why, 6, true, 0},
		{&s.model, 13, true, 0},
		{&s.clock, len(time.DateTime) - clockWidth, false, 0},
		{&s.status, bothStatuses - 4, false, 0},
		{&s.size, 9, false, s.gap},
		{&s.image, 8, false, 0},
		{&s.gap, 1, false, 6},
	} {
		by := g.by
		if g.parts {
			by = max(0, min(by, *room))
		}
		if *g.width == 0 && g.width != &s.size || by+g.also > *room {
			continue
		}
		*g.width += by
		*room -= by + g.also
	}
}

func (s sizes) layout() *layout {
	l := &layout{gap: "  "[:s.gap], dated: s.clock > clockWidth, rest: -s.gap}
	for _, c := range []column{
		{head: "TIME", width: s.clock},
		{head: "WHAT", width: wordWidth},
		{head: "CLIENT", width: s.client, text: clientCell},
		{head: "MODEL", width: s.model, text: model},
		{head: "IMAGE", width: s.image, text: image},
		{head: "HTTP", width: s.status, text: status},
		{head: "SIZE", width: s.size, text: requestSize},
		{head: "WHY", width: s.why, text: whyCell},
	} {
		if c.width == 0 {
			continue
		}
		c.most = c.width
		l.columns = append(l.columns, c)
		if c.text != nil {
			l.rest += s.gap + c.width
		}
	}
	return l
}

// cells are the columns of an event behind its time and word.
func (l *layout) cells(e *eventlog.Event) []column {
	if e.Protocol == "" {
		return []column{{width: l.rest, most: l.rest, text: process}}
	}
	return l.columns[2:]
}
