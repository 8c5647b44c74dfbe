package protocol

import (
	"slices"
	"strings"
	"testing"

	"imagebreaker/internal/jsontree"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ list, gone, want string }{
		{`["a"]`, "a", `[]`},
		{`[ "a" ]`, "a", `[]`},
		{`["a","b"]`, "a", `["b"]`},
		{`["a","b"]`, "b", `["a"]`},
		{`["a", "b" , "c"]`, "a", `["b" , "c"]`},
		{`["a", "b" , "c"]`, "b", `["a", "c"]`},
		{`["a", "b" , "c" ]`, "c", `["a", "b"]`},
		{`["a","b","c"]`, "ab", `["c"]`},
		{`["a","b","c"]`, "bc", `["a"]`},
		{`["a","b","c"]`, "ac", `["b"]`},
		{`["a","b","c"]`, "abc", `[]`},
		{`["a","b","c","d","e"]`, "ace", `["b","d"]`},
		{`["a","b"]`, "", `["a","b"]`},
	} {
		body := `{"list":` + c.list + `}`
		tree, err := jsontree.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		edits := without(tree.Get("list"), func(n jsontree.Node) bool { return strings.Contains(c.gone, n.String()) })
		if got := edited(body, edits); got != `{"list":`+c.want+`}` {
			t.Errorf("%s without %q: %s, want %s", c.list, c.gone, got, c.want)
		}
	}
}

// edited is the body after the edits.
func edited(body string, edits []Edit) string {
	for _, e := range slices.Backward(edits) {
		body = body[:e.Start] + string(e.Text) + body[e.End:]
	}
	return body
}

func TestPrefixMessage(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"type":"error", "error":{"type":"x","message":"it \"broke\""} }`: `{"type":"error", "error":{"type":"x","message":"a.b: it \"broke\""} }`,
		`{"message":"it broke","x":1}`:                                     `{"message":"a.b: it broke","x":1}`,
		`{"error":{"message":"it broke"},"message":"outer"}`:               `{"error":{"message":"a.b: it broke"},"message":"outer"}`,
		`{"error":"it broke","message":"outer"}`:                           "",
		`{"error":{"message":7}}`:                                          "",
		`{"message":null}`:                                                 "",
		`{"detail":"it broke"}`:                                            "",
		`it broke`:                                                         "",
	} {
		got, ok := PrefixMessage([]byte(in), "a.b: ")
		if string(got) != want || ok != (want != "") {
			t.Errorf("%s: %s, %v", in, got, ok)
		}
	}
}
