package jsontree

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNesting is how deep containers may lie in each other, as with jsontext.
const maxNesting = 10000

// reader reads a JSON text into nodes. It accepts what jsontext.Decoder accepts,
// but goes through the megabytes of a string at the speed of memory, which is why
// it is written by hand. For the same tree of a body with 32 MB of images in tool
// results it takes 1.6 ms against 13 (8 times as fast), of 10 MB with one image
// 0.47 ms against 4.3 (9 times), of 300 KB of text 0.17 ms against 0.23 (1.3 times);
// a whole scan of the 10 MB, sums included, takes 5.8 ms. These are the medians of
// BenchmarkTreeAgainstDecoder and BenchmarkScan. FuzzTreeDifferential has
// jsontext.Decoder as the oracle: the same values at the same offsets, or a refusal
// of both.
type reader struct {
	src   []byte
	pos   int
	nodes []node
	stack []container
}

// container is an object or array being read, and its newest child.
type container struct{ self, last int32 }

// read appends the value at pos and all in it.
func (r *reader) read() error {
	for more := true; more; {
		if len(r.nodes) == maxNodes {
			return ErrTooMany
		}
		n, ok := r.begin()
		if !ok {
			return r.fault()
		}
		r.add(n)
		if n.kind == '{' || n.kind == '[' {
			if len(r.stack) == maxNesting {
				return r.fault()
			}
			r.stack = append(r.stack, container{self: int32(len(r.nodes) - 1)})
			if r.peek() != closing(n.kind) {
				continue
			}
		}
		if more, ok = r.end(); !ok {
			return r.fault()
		}
	}
	return nil
}

func (r *reader) fault() error { return fmt.Errorf("no JSON from byte %d on", r.pos) }

// begin reads a scalar or the bracket that opens a container, and before it the
// name, if it is a member.
func (r *reader) begin() (n node, ok bool) {
	if depth := len(r.stack); depth > 0 && r.nodes[r.stack[depth-1].self].kind == '{' {
		if ok = r.name(&n); !ok {
			return n, false
		}
	}
	c := r.peek()
	n.start, n.kind = int32(r.pos), jsontext.Kind(c)
	switch c {
	case '{', '[':
		r.pos++
		ok = true
	case '"':
		n.escaped, ok = r.text()
	case 't':
		ok = r.literal("true")
	case 'f':
		ok = r.literal("false")
	case 'n':
		ok = r.literal("null")
	default:
		n.kind, ok = '0', r.number()
	}
	n.end = int32(r.pos)
	return n, ok
}

// name reads a member's name and the colon.
func (r *reader) name(n *node) (ok bool) {
	if r.peek() != '"' {
		return false
	}
	n.keyStart = int32(r.pos)
	n.keyEscaped, ok = r.text()
	n.keyEnd = int32(r.pos)
	if !ok || r.peek() != ':' {
		return false
	}
	r.pos++
	return true
}

// add appends a node to its container.
func (r *reader) add(n node) {
	self := int32(len(r.nodes))
	if len(r.nodes) == cap(r.nodes) {
		r.grow()
	}
	r.nodes = append(r.nodes, n)
	if len(r.stack) == 0 {
		return
	}
	top := &r.stack[len(r.stack)-1]
	if top.last == 0 {
		r.nodes[top.self].child = self
	} else {
		r.nodes[top.last].next = self
	}
	top.last = self
}

// grow makes room for as many nodes as the rest of the text has if it goes on as
// it began. Two or four times as many as before are the bounds.
func (r *reader) grow() {
	n := int64(len(r.nodes))
	likely := n * int64(len(r.src)-r.pos) / int64(r.pos+1)
	r.nodes = slices.Grow(r.nodes, int(min(max(likely, n, 8), 3*n+8)))
}

// end goes past the brackets that close behind a value, and past a comma, behind
// which there is more to read.
func (r *reader) end() (more, ok bool) {
	for len(r.stack) > 0 {
		top := &r.nodes[r.stack[len(r.stack)-1].self]
		switch r.peek() {
		case ',':
			r.pos++
			return true, true
		case closing(top.kind):
			r.pos++
			top.end = int32(r.pos)
			r.stack = r.stack[:len(r.stack)-1]
		default:
			return false, false
		}
	}
	return false, true
}

// closing is the bracket that closes a container: in ASCII, two behind the one
// that opens it.
func closing(kind jsontext.Kind) byte { return byte(kind) + 2 }

// peek skips white space and returns what comes; 0, which JSON has nowhere, at
// the end.
func (r *reader) peek() byte {
	for ; r.pos < len(r.src); r.pos++ {
		switch c := r.src[r.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (r *reader) literal(word string) bool {
	if !bytes.HasPrefix(r.src[r.pos:], []byte(word)) {
		return false
	}
	r.pos += len(word)
	return true
}

func (r *reader) number() bool {
	r.skip("-")
	if !r.skip("0") && !r.digits() {
		return false
	}
	if r.skip(".") && !r.digits() {
		return false
	}
	if r.skip("eE") {
		r.skip("+-")
		return r.digits()
	}
	return true
}

// skip goes past one character of a set.
func (r *reader) skip(set string) bool {
	if r.pos == len(r.src) || strings.IndexByte(set, r.src[r.pos]) < 0 {
		return false
	}
	r.pos++
	return true
}

func (r *reader) digits() bool {
	start := r.pos
	for r.pos < len(r.src) && '0' <= r.src[r.pos] && r.src[r.pos] <= '9' {
		r.pos++
	}
	return r.pos > start
}
