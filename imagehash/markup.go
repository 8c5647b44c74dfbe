package imagehash

import (
	"bytes"
	"strings"
)

// markup returns HTML, SVG, or Text for any other XML. It returns Unknown for what
// is no markup. The first element decides: a page with a drawing in it is a page.
func markup(head []byte) Format {
	var isXML, commented bool
	for {
		head = bytes.TrimLeft(head, asciiSpaces)
		var whole bool
		switch {
		case hasPrefixFold(head, "<?xml"):
			isXML = true
			head, whole = skipPast(head, "?>")
		case hasPrefixFold(head, "<?"):
			head, whole = skipPast(head, "?>")
		case hasPrefixFold(head, "<!--"):
			commented = true
			head, whole = skipPast(head, "-->")
		case hasPrefixFold(head, "<!doctype"):
			root := bytes.TrimLeft(head[len("<!doctype"):], asciiSpaces)
			if format := elementFormat(root); format != Unknown {
				return format
			}
			isXML = true
			head, whole = skipDoctype(head)
		}
		if !whole {
			return rootFormat(head, isXML, commented)
		}
	}
}

// rootFormat judges by what follows the prolog. Without one it wants to know the
// element: a text, too, may start with "<".
func rootFormat(head []byte, isXML, commented bool) Format {
	if len(head) > 0 && head[0] == '<' {
		if format := elementFormat(head[1:]); format != Unknown {
			return format
		}
	}
	switch {
	case isXML:
		return Text
	case commented:
		return HTML
	}
	return Unknown
}

// elementFormat returns SVG or HTML if head starts with the name of an element
// that tells, else Unknown.
func elementFormat(head []byte) Format {
	end := bytes.IndexAny(head, asciiSpaces+"/>[")
	if end < 0 {
		end = len(head)
	}
	const longest = 64
	name := strings.ToLower(string(head[:min(end, longest)]))
	_, local, prefixed := strings.Cut(name, ":")
	switch {
	case name == "svg", prefixed && local == "svg":
		return SVG
	case strings.Contains(htmlElements, " "+name+" ") && name != "":
		return HTML
	}
	return Unknown
}

// htmlElements are those that the WHATWG's MIME sniffing takes for HTML, and a few
// more that pages start with.
const htmlElements = " html head script iframe h1 div font table a style title b body br p " +
	"meta link base center main span img h2 h3 form noscript "

// skipPast returns what follows the next end. If there is none head stays as it
// is.
func skipPast(head []byte, end string) (rest []byte, found bool) {
	_, rest, found = bytes.Cut(head, []byte(end))
	if !found {
		return head, false
	}
	return rest, true
}

// skipDoctype skips a document type and the entities that it may declare in
// brackets.
func skipDoctype(head []byte) (rest []byte, found bool) {
	declaration, rest, found := bytes.Cut(head, []byte(">"))
	if !bytes.Contains(declaration, []byte("[")) {
		return rest, found
	}
	if _, rest, found = bytes.Cut(head, []byte("]")); !found {
		return head, false
	}
	return skipPast(rest, ">")
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && bytes.EqualFold(b[:len(prefix)], []byte(prefix))
}
