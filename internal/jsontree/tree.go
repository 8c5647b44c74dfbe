// Package jsontree reads a JSON object into a flat tree whose values keep their
// byte offsets in the source, so that a part of it can be replaced without
// touching any other byte.
//
// It knows nothing of what the members mean.
package jsontree

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNodes bounds what a body may cost beyond its own bytes (32 bytes a node).
// A real conversation of 30 MB has some ten thousand values.
const maxNodes = 1 << 20

// Errors of Parse that a caller may want to tell apart from a syntax error.
var (
	ErrNotObject = errors.New("body is no JSON object")
	ErrTooMany   = errors.New("body has too many JSON values")
)

// tree is a JSON object as a flat list of its values, each with its offsets in
// the source. Strings stay where they are, so a tree is small even where the
// body is not.
type tree struct {
	src   []byte
	nodes []node
}

// node is one value. Indexes are into tree.nodes; zero, the root, stands for none.
type node struct {
	keyStart, keyEnd int32 // the member's name with its quotes
	start, end       int32
	child, next      int32
	kind             jsontext.Kind
	escaped          bool // a string with escapes
	keyEscaped       bool
}

// Parse reads a JSON object and returns its root. It is as lenient as any
// upstream may be: repeated names and broken UTF-8 pass. src must not change while
// the tree is in use.
func Parse(src []byte) (Node, error) {
	if len(src) > math.MaxInt32 {
		return Node{}, fmt.Errorf("body of %d bytes is too large to scan", len(src))
	}
	r := reader{src: src}
	if r.peek() != '{' {
		return Node{}, ErrNotObject
	}
	if err := r.read(); err != nil {
		return Node{}, err
	}
	if r.peek(); r.pos < len(src) {
		return Node{}, errors.New("text after the JSON object")
	}
	return Node{&tree{src: src, nodes: r.nodes}, 0}, nil
}

// Node is one value of a tree. The zero Node stands for an absent value:
// whatever is asked of it, it has nothing.
type Node struct {
	t *tree
	i int32
}

func (n Node) node() *node { return &n.t.nodes[n.i] }

// Exists tells whether there is such a value; null is one.
func (n Node) Exists() bool { return n.t != nil }

// Kind is '{', '[', '"', '0', 't', 'f' or 'n'; 0 if absent.
func (n Node) Kind() jsontext.Kind {
	if n.t == nil {
		return 0
	}
	return n.node().kind
}

// Span is the value's place in the source, [start, end).
func (n Node) Span() (start, end int) {
	if n.t == nil {
		return 0, 0
	}
	return int(n.node().start), int(n.node().end)
}

// Raw is the value's text in the source.
func (n Node) Raw() []byte {
	if n.t == nil {
		return nil
	}
	return n.t.src[n.node().start:n.node().end]
}

// Key is the member's name; empty outside objects.
func (n Node) Key() string {
	if n.t == nil || n.node().keyEnd == 0 {
		return ""
	}
	return string(unquote(n.t.src[n.node().keyStart:n.node().keyEnd], n.node().keyEscaped))
}

// Values goes through the members of an object or the elements of an array.
func (n Node) Values() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.t == nil {
			return
		}
		for i := n.node().child; i != 0; i = n.t.nodes[i].next {
			if !yield(Node{n.t, i}) {
				return
			}
		}
	}
}

// Len is the number of members or elements.
func (n Node) Len() int {
	length := 0
	for range n.Values() {
		length++
	}
	return length
}

// Elements goes through an array with the indexes that upstreams count by. Of
// anything else it has none.
func (n Node) Elements() iter.Seq2[int, Node] {
	return func(yield func(int, Node) bool) {
		if n.Kind() != '[' {
			return
		}
		i := 0
		for v := range n.Values() {
			if !yield(i, v) {
				return
			}
			i++
		}
	}
}

// Get follows member names. Of a repeated name the last one counts, as with
// most JSON readers.
func (n Node) Get(names ...string) Node {
	for _, name := range names {
		var found Node
		if n.Kind() == '{' {
			for v := range n.Values() {
				if v.named(name) {
					found = v
				}
			}
		}
		n = found
	}
	return n
}

func (n Node) named(name string) bool {
	if n.node().keyEscaped {
		return n.Key() == name
	}
	return string(n.t.src[n.node().keyStart+1:n.node().keyEnd-1]) == name
}

// Text is a string's content with its JSON escapes undone; nil for anything
// else. It may alias the source.
func (n Node) Text() []byte {
	if n.Kind() != '"' {
		return nil
	}
	return unquote(n.Raw(), n.node().escaped)
}

// String is Text as a string.
func (n Node) String() string { return string(n.Text()) }

// True tells whether the value is true.
func (n Node) True() bool { return n.Kind() == 't' }

func unquote(raw []byte, escaped bool) []byte {
	inner := raw[1 : len(raw)-1]
	if !escaped {
		return inner
	}
	out, err := jsontext.AppendUnquote(nil, raw)
	if err != nil && len(out) == 0 {
		return inner // broken UTF-8 is no reason to see nothing
	}
	return out
}

// Quote is s as a JSON string. Broken UTF-8 is replaced.
func Quote(s string) string {
	out, _ := jsontext.AppendQuote(nil, s) // the only error is broken UTF-8, which it mends
	return string(out)
}
