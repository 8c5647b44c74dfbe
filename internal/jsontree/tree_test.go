package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func root(t testing.TB, body string) Node {
	t.Helper()
	n, err := Parse([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return n
}

func TestTree(t *testing.T) {
	t.Parallel()
	n := root(t, ` {"a" : {"b\u0063":"x\ny","d":[1, true,null,{"e":"f"}]}, "a2":"","a2":"last"} `)
	cases := []struct {
		name, got, want string
	}{
		{"escaped name and value", n.Get("a", "bc").String(), "x\ny"},
		{"repeated name: the last counts", n.Get("a2").String(), "last"},
		{"absent", n.Get("a", "nothing", "at all").String(), ""},
		{"raw array", string(n.Get("a", "d").Raw()), `[1, true,null,{"e":"f"}]`},
		{"of a text there are no members", n.Get("a2", "b").String(), ""},
	}
	for _, c := range cases {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
	var kinds []string
	for i, e := range n.Get("a", "d").Elements() {
		kinds = append(kinds, fmt.Sprintf("%d%c", i, e.Kind()))
	}
	if got := strings.Join(kinds, " "); got != "00 1t 2n 3{" {
		t.Errorf("elements %s", got)
	}
	start, end := n.Get("a", "d").Span()
	if got := string(n.t.src[start:end]); got != string(n.Get("a", "d").Raw()) {
		t.Errorf("span %q", got)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", "null", "[]", `"x"`, "{", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1} x`, `{"a":1}{}`, "<html>", "{'a':1}", `{"a":"` + "\x01" + `"}`,
		strings.Repeat(`{"a":`, 20000), `{"a":[` + strings.Repeat("0,", maxNodes) + "0]}",
	} {
		if _, err := Parse([]byte(body)); err == nil {
			t.Errorf("%.40q parses", body)
		}
	}
}

func TestParseIsLenient(t *testing.T) {
	t.Parallel()
	if got := root(t, "{\"a\":\"\xff\xfe\",\"b\":\"x\"}").Get("b").String(); got != "x" {
		t.Errorf("beside broken UTF-8: %q", got)
	}
}

// value rebuilds what encoding/json would make of a node.
func value(n Node) any {
	switch n.Kind() {
	case '{':
		m := map[string]any{}
		for v := range n.Values() {
			m[v.Key()] = value(v)
		}
		return m
	case '[':
		l := []any{}
		for _, v := range n.Elements() {
			l = append(l, value(v))
		}
		return l
	case '"':
		return n.String()
	}
	var v any
	json.Unmarshal(n.Raw(), &v)
	return v
}

// FuzzParse holds the tree to encoding/json: what both take is the same value,
// and every span is the text of its value.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.json")
	more, _ := filepath.Glob("../../testdata/captures/*.json")
	for _, name := range append(files, more...) {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(b)
		}
	}
	f.Add([]byte(`{"a":[{"b":"\ud83d\ude00\/"},-1.5e3,true,false,null,[],{}],"a":1}`))
	f.Add([]byte(`{"\u0061\ud83d":"\ud83d\ude00 \ud83d \ude00\ud83d \ud83d\n","a":"\u0000"}`)) // halves of pairs
	f.Add([]byte("{\"a\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		tree, err := Parse(body)
		if err != nil {
			return
		}
		var check func(n Node)
		check = func(n Node) {
			if n.Kind() == 0 || !json.Valid(n.Raw()) {
				t.Fatalf("span %q of kind %c is no value", n.Raw(), n.Kind())
			}
			for v := range n.Values() {
				check(v)
			}
		}
		if len(body) <= 4096 { // each level of a nest is read anew
			check(tree)
		}
		var want map[string]any
		if err := json.Unmarshal(body, &want); err != nil {
			if !bytes.Contains([]byte(err.Error()), []byte("range")) {
				t.Fatalf("parsed what encoding/json refuses: %v", err)
			}
			return
		}
		if got := value(tree); utf8.Valid(body) && !reflect.DeepEqual(got, map[string]any(want)) && !hasNaN(got) {
			t.Fatalf("%v, encoding/json says %v", got, want)
		}
	})
}

func hasNaN(v any) bool {
	f, ok := v.(float64)
	return ok && math.IsNaN(f)
}
