package failure

import (
	"strconv"
	"strings"
)

// Errors arrive as JSON, as Python's repr of it, cut short, and in the middle
// of prose. One lenient reader takes them all: strict decoders refuse the best
// part of what relays really send.

const (
	maxDepth = 48    // nesting of one literal
	maxNodes = 20000 // values in one literal
)

type kind uint8

const (
	kindOther  kind = iota // null, true, false and their Python names
	kindNumber             // text holds the digits
	kindString             // text holds the value, escapes undone
	kindArray              // kids
	kindObject             // keys and kids side by side
)

// node is one value of a literal.
type node struct {
	kind kind
	text string
	keys []string
	kids []node
}

// get returns the value of a key, and a kindOther without one.
func (n node) get(key string) node {
	for i, k := range n.keys {
		if k == key {
			return n.kids[i]
		}
	}
	return node{}
}

// str returns the string under a key, "" for any other type.
func (n node) str(key string) string {
	if v := n.get(key); v.kind == kindString {
		return v.text
	}
	return ""
}

// reader reads one literal from the start of s.
type reader struct {
	s     string
	i     int
	nodes int
	cut   bool // s ended inside the literal
	loose bool // something only Python writes was seen
}

// readLiteral reads the literal that s begins with: {…}, […] or a quoted string,
// bytes included. A literal that ends too early is returned as far as it goes.
// n is how much of s it takes; ok is false if s begins with no literal.
func readLiteral(s string) (v node, n int, python, ok bool) {
	r := &reader{s: s}
	v, ok = r.value(0)
	return v, r.i, r.loose, ok
}

func (r *reader) space() {
	for r.i < len(r.s) {
		switch r.s[r.i] {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return
		}
	}
}

// peek returns the next byte that is no white space, and 0 at the end.
func (r *reader) peek() byte {
	r.space()
	if r.i >= len(r.s) {
		r.cut = true
		return 0
	}
	return r.s[r.i]
}

func (r *reader) value(depth int) (node, bool) {
	r.nodes++
	if depth > maxDepth || r.nodes > maxNodes {
		return node{}, false
	}
	switch c := r.peek(); {
	case c == 0:
		return node{}, r.cut && depth > 0
	case c == '{':
		return r.object(depth)
	case c == '[' || c == '(':
		r.loose = r.loose || c == '('
		return r.array(depth)
	case c == '"' || c == '\'':
		return node{kind: kindString, text: r.quoted()}, true
	case (c == 'b' || c == 'u' || c == 'r') && r.i+1 < len(r.s) && (r.s[r.i+1] == '\'' || r.s[r.i+1] == '"'):
		r.i++
		r.loose = true
		return node{kind: kindString, text: r.quoted()}, true
	default:
		return r.word(depth)
	}
}

// word reads a number or a name.
func (r *reader) word(depth int) (node, bool) {
	start := r.i
	for r.i < len(r.s) && strings.IndexByte(",:]})\"' \t\r\n", r.s[r.i]) < 0 {
		r.i++
	}
	w := r.s[start:r.i]
	switch {
	case depth == 0 || w == "":
		return node{}, false
	case w == "None" || w == "True" || w == "False":
		r.loose = true
		return node{}, true
	case w == "null" || w == "true" || w == "false" || w == "…":
		return node{}, true
	case w[0] == '-' || w[0] >= '0' && w[0] <= '9':
		return node{kind: kindNumber, text: w}, true
	}
	return node{}, r.i == len(r.s) // a name that the end cut
}

func (r *reader) array(depth int) (node, bool) {
	r.i++
	v := node{kind: kindArray}
	for {
		switch r.peek() {
		case 0:
			return v, true
		case ']', ')':
			r.i++
			return v, true
		case ',':
			r.i++
			continue
		}
		kid, ok := r.value(depth + 1)
		if !ok {
			return v, false
		}
		v.kids = append(v.kids, kid)
		if c := r.peek(); c != ',' && c != ']' && c != ')' && c != 0 {
			return v, false
		}
	}
}

func (r *reader) object(depth int) (node, bool) {
	r.i++
	v := node{kind: kindObject}
	for {
		switch r.peek() {
		case 0:
			return v, true
		case '}':
			r.i++
			return v, true
		case ',':
			r.i++
			continue
		case '"', '\'':
		default:
			return v, false
		}
		if !r.pair(&v, depth) {
			return v, false
		}
	}
}

// pair reads one key and its value into v.
func (r *reader) pair(v *node, depth int) bool {
	key := r.quoted()
	switch r.peek() {
	case 0:
		return true
	case ':':
		r.i++
	default:
		return false
	}
	kid, ok := r.value(depth + 1)
	if !ok {
		return false
	}
	v.keys, v.kids = append(v.keys, key), append(v.kids, kid)
	c := r.peek()
	return c == ',' || c == '}' || c == 0
}

// quoted reads a string from its quote on and undoes its escapes. Both kinds of
// quote may be escaped in either, as JSON inside a Python repr has it.
func (r *reader) quoted() string {
	quote := r.s[r.i]
	r.loose = r.loose || quote == '\''
	r.i++
	start := r.i
	end := strings.IndexAny(r.s[start:], `\`+string(quote))
	if end >= 0 && r.s[start+end] == quote { // the common case needs no copy
		r.i = start + end + 1
		return r.s[start : start+end]
	}
	var b strings.Builder
	for r.i < len(r.s) {
		c := r.s[r.i]
		r.i++
		switch c {
		case quote:
			return b.String()
		case '\\':
			r.escape(&b)
		default:
			b.WriteByte(c)
		}
	}
	r.cut = true
	return b.String()
}

// escape reads what follows a backslash.
func (r *reader) escape(b *strings.Builder) {
	if r.i >= len(r.s) {
		return
	}
	c := r.s[r.i]
	r.i++
	switch c {
	case 'n', 'r', 't', 'b', 'f':
		b.WriteByte(map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': ' ', 'f': ' '}[c])
	case 'u':
		r.code(b, 4)
	case 'x':
		r.code(b, 2)
	default:
		b.WriteByte(c)
	}
}

// code reads a character by its number. Halves of a surrogate pair become the
// replacement character: no wording below needs them.
func (r *reader) code(b *strings.Builder, digits int) {
	if r.i+digits > len(r.s) {
		r.i = len(r.s)
		return
	}
	if n, err := strconv.ParseUint(r.s[r.i:r.i+digits], 16, 32); err == nil {
		b.WriteRune(rune(n))
		r.i += digits
	}
}
