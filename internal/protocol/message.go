package protocol

import (
	"slices"

	"imagebreaker/internal/jsontree"
)

// PrefixMessage puts prefix before the message of a JSON error, which is in an
// object of its own or, as Bedrock's, at the top. It leaves every other byte as
// it is, and returns false for anything without such a message.
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
