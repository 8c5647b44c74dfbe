package report

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"imagebreaker/eventlog"
	"imagebreaker/internal/record"
)

const (
	maxNames  = 4096 // that are counted each by itself
	maxName   = 256  // characters of one
	topGroups = 10
)

// Groups counts events by a name. The zero value is ready to use.
type Groups struct {
	byName   map[string]*Group
	overflow Group // names that came when there were too many
}

// Group is what the events of one name come to.
type Group struct {
	Name            string `json:"name"`
	Failures        int64  `json:"failures_recorded"`
	Held            int64  `json:"held"`
	HeldBytes       int64  `json:"held_bytes"`
	Repaired        int64  `json:"repaired"`
	Tokens          int64  `json:"estimated_media_tokens"` // of what was held or left out
	WouldHold       int64  `json:"would_hold"`
	WouldHoldBytes  int64  `json:"would_hold_bytes"`
	WouldHoldTokens int64  `json:"would_hold_estimated_media_tokens"`
}

func (g *Groups) add(name string, one Group) { g.of(firstRunes(name, maxName)).add(one) }

func (g *Groups) of(name string) *Group {
	one := g.byName[name]
	switch {
	case one != nil:
		return one
	case len(g.byName) == maxNames:
		return &g.overflow
	case g.byName == nil:
		g.byName = map[string]*Group{}
	}
	one = &Group{Name: name}
	g.byName[name] = one
	return one
}

// groupOf is what one event comes to.
func groupOf(e *eventlog.Event) Group {
	switch e.Event {
	case record.FailureRecorded:
		return Group{Failures: 1}
	case record.ShortCircuited:
		return Group{Held: 1, HeldBytes: e.RequestBytes, Tokens: tokens(e.ImagesTotal)}
	case record.Substituted:
		return Group{Repaired: 1, Tokens: tokens(len(e.Images))}
	case record.WouldShortCircuit:
		return Group{WouldHold: 1, WouldHoldBytes: e.RequestBytes, WouldHoldTokens: tokens(e.ImagesTotal)}
	}
	return Group{}
}

func (g *Group) add(o Group) {
	g.Failures += o.Failures
	g.Held += o.Held
	g.HeldBytes = plus(g.HeldBytes, o.HeldBytes)
	g.Repaired += o.Repaired
	g.WouldHold += o.WouldHold
	g.WouldHoldBytes = plus(g.WouldHoldBytes, o.WouldHoldBytes)
	g.Tokens = plus(g.Tokens, o.Tokens)
	g.WouldHoldTokens = plus(g.WouldHoldTokens, o.WouldHoldTokens)
}

func (g *Group) events() int64 { return g.Failures + g.Held + g.Repaired + g.WouldHold }

// top returns the groups with most events, and what the others come to. The
// others have as many names as it says, or more if some overflowed.
func (g Groups) top() (first []*Group, others Group, names int) {
	first = slices.SortedFunc(maps.Values(g.byName), func(a, b *Group) int {
		return cmp.Or(cmp.Compare(b.events(), a.events()), cmp.Compare(a.Name, b.Name))
	})
	others = g.overflow
	if others.events() > 0 {
		names = 1
	}
	for _, o := range first[min(topGroups, len(first)):] {
		others.add(*o)
		names++
	}
	return first[:min(topGroups, len(first))], others, names
}

// MarshalJSON writes the groups with most events, and the others as one.
func (g Groups) MarshalJSON() ([]byte, error) {
	type rest struct {
		Names int    `json:"names"`          // at least
		Name  string `json:"name,omitempty"` // none, in the place of the group's
		Group
	}
	first, others, names := g.top()
	out := struct {
		Top    []*Group `json:"top"`
		Others *rest    `json:"others,omitempty"`
	}{Top: append([]*Group{}, first...)}
	if names > 0 {
		out.Others = &rest{Names: names, Group: others}
	}
	return json.Marshal(out)
}
