package protocol

import (
	"cmp"
	"fmt"
	"slices"

	"imagebreaker/internal/jsontree"
)

// Edit is a change of a body: Text replaces the bytes [Start, End).
type Edit struct {
	Start, End int
	Text       []byte
}

// Substitute returns the edits, in the body's order, that replace images by
// placeholders. It returns false if the API takes no text in the place of one of them.
func Substitute(a API, images []*Image, text func(*Image) string) ([]Edit, bool) {
	var edits []Edit
	if to, ok := a.(listSubstituter); ok {
		edits = to.substitute(images, text)
	} else {
		for _, im := range images {
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

// without returns the edits that remove elements from a list, with their commas.
func without(list jsontree.Node, remove func(element jsontree.Node) bool) []Edit {
	var edits []Edit
	start, end := list.Span()
	keptEnd := start + 1 // of the last element that is kept, or of the bracket
	runStart := -1       // of a run of removed elements
	for _, e := range list.Elements() {
		at, after := e.Span()
		switch {
		case !remove(e):
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

// typedPlaceholder returns a text part for the APIs whose parts have a type. A cache
// mark on the image's part (Anthropic's, which gateways take in OpenAI's form too)
// moves to the placeholder.
func typedPlaceholder(im *Image, kind, text string) []byte {
	cache := ""
	if c := im.part.Get("cache_control"); c.Exists() {
		cache = `,"cache_control":` + string(c.Raw())
	}
	return fmt.Appendf(nil, `{"type":%q,"text":%s%s}`, kind, jsontree.Quote(text), cache)
}

// PrefixMessage puts prefix before the message of a JSON error, which is in an object
// of its own or, like Bedrock's, at the top level. It keeps every other byte, and
// returns false if there is no such message.
func PrefixMessage(body []byte, prefix string) ([]byte, bool) {
	root, err := jsontree.Parse(body)
	if err != nil {
		return nil, false
	}
	m := root.Get("error", "message")
	if !root.Get("error").Exists() {
		m = root.Get("message")
	}
	if m.Kind() != '"' {
		return nil, false
	}
	start, end := m.Span()
	return slices.Concat(body[:start], []byte(jsontree.Quote(prefix+m.String())), body[end:]), true
}
