package protocol

import (
	"cmp"
	"slices"

	"imagebreaker/internal/jsontree"
)

// Edit is a change of a body: what stands in [Start, End) gives way to Text.
type Edit struct {
	Start, End int
	Text       []byte
}

// Substitute returns the edits, in the body's order, that put placeholders in the
// place of images. It returns false if the API takes no text where one of them is.
func Substitute(a API, gone []*Image, text func(*Image) string) ([]Edit, bool) {
	var edits []Edit
	if to, ok := a.(listSubstituter); ok {
		edits = to.substitute(gone, text)
	} else {
		for _, im := range gone {
			placeholder := a.Placeholder(im, text(im))
			if placeholder == nil {
				return nil, false
			}
			start, end := im.Span()
			edits = append(edits, Edit{start, end, placeholder})
		}
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	return edits, true
}

// without are the edits that take elements out of the list that they stand in,
// with the commas that they leave over.
func without(list jsontree.Node, gone func(element jsontree.Node) bool) []Edit {
	var edits []Edit
	start, end := list.Span()
	keptEnd := start + 1 // of the last element that stays, or of the bracket
	runStart := -1       // of the elements in a row that go
	for _, e := range list.Elements() {
		at, after := e.Span()
		switch {
		case !gone(e):
			if runStart >= 0 { // up to here, so that the comma before still serves
				edits = append(edits, Edit{Start: runStart, End: at})
			}
			runStart, keptEnd = -1, after
		case runStart < 0:
			runStart = at
		}
	}
	if runStart >= 0 {
		edits = append(edits, Edit{Start: keptEnd, End: end - 1})
	}
	return edits
}
