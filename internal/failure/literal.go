package failure

import (
	"strconv"
	"strings"
)

// Errors arrive as JSON, as Python's repr of it, cut short, and in the middle
// of prose. One lenient reader takes them all: strict decoders refuse the best
// part of what relays really send.

const (
	maxDepth  = 48    // nesting of one literal
	maxValues = 20000 // values in one literal
)

type kind uint8

const (
	kindOther  kind = iota // null, true, false and their Python names
	kindNumber             // text holds the digits
	kindString             // text holds the value, escapes undone
	kindArray              // kids
	kindObject             // keys and kids side by side
)

// literal is a value with all that is inside it.
type literal struct {
	kind kind
	text string
	keys []string
	kids []literal
}

// get returns the value of a key, and a kindOther without one.
func (l literal) get(key string) literal {
	for i, k := range l.keys {
		if k == key {
			return l.kids[i]
		}
	}
	return literal{}
}

// str returns the string under a key, "" for any other type.
func (l literal) str(key string) string {
	if v := l.get(key); v.kind == kindString {
		return v.text
	}
	return ""
}

// literalReader reads one literal from the start of s.
type literalReader struct {
	s      string
	i      int
	values int
	cut    bool // s ended inside the literal
	loose  bool // something only Python writes was seen
}

// readLiteral reads the literal that s begins with: {…}, […] or a quoted string,
// bytes included. A literal that ends too early is returned as far as it goes.
// n is how much of s it takes; ok is false if s begins with no literal.
func readLiteral(s string) (v literal, n int, python, ok bool) {
	r := &literalReader{s: s}
	v, ok = r.value(0)
	return v, r.i, r.loose, ok
}

func (r *literalReader) space() {
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
func (r *literalReader) peek() byte {
	r.space()
	if r.i >= len(r.s) {
		r.cut = true
		return 0
	}
	return r.s[r.i]
}

func (r *literalReader) value(depth int) (literal, bool) {
	r.values++
	if depth > maxDepth || r.values > maxValues {
		return literal{}, false
	}
	switch c := r.peek(); {
	case c == 0:
		return literal{}, r.cut && depth > 0
	case c == '{':
		return r.object(depth)
	case c == '[' || c == '(':
		r.loose = r.loose || c == '('
		return r.array(depth)
	case c == '"' || c == '\'':
		return literal{kind: kindString, text: r.quoted()}, true
	case (c == 'b' || c == 'u' || c == 'r') && r.i+1 < len(r.s) && (r.s[r.i+1] == '\'' || r.s[r.i+1] == '"'):
		r.i++
		r.loose = true
		return literal{kind: kindString, text: r.quoted()}, true
	default:
		return r.word(depth)
	}
}

// word reads a number or a name.
func (r *literalReader) word(depth int) (literal, bool) {
	start := r.i
	for r.i < len(r.s) && strings.IndexByte(",:]})\"' \t\r\n", r.s[r.i]) < 0 {
		r.i++
	}
	w := r.s[start:r.i]
	switch {
	case depth == 0 || w == "":
		return literal{}, false
	case w == "None" || w == "True" || w == "False":
		r.loose = true
		return literal{}, true
	case w == "null" || w == "true" || w == "false" || w == "…":
		return literal{}, true
	case w[0] == '-' || w[0] >= '0' && w[0] <= '9':
		return literal{kind: kindNumber, text: w}, true
	}
	return literal{}, r.i == len(r.s) // a name that the end cut
}

func (r *literalReader) array(depth int) (literal, bool) {
	r.i++
	v := literal{kind: kindArray}
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

func (r *literalReader) object(depth int) (literal, bool) {
	r.i++
	v := literal{kind: kindObject}
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
func (r *literalReader) pair(v *literal, depth int) bool {
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
func (r *literalReader) quoted() string {
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
func (r *literalReader) escape(b *strings.Builder) {
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
func (r *literalReader) code(b *strings.Builder, digits int) {
	if r.i+digits > len(r.s) {
		r.i = len(r.s)
		return
	}
	if n, err := strconv.ParseUint(r.s[r.i:r.i+digits], 16, 32); err == nil {
		b.WriteRune(rune(n))
		r.i += digits
	}
}
