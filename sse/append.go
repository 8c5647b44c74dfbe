package sse

import "bytes"

// Append adds one event to dst and returns the extended slice. The line
// "event: name" is left out when name is empty. Each line of data (CR, LF and
// CRLF end one) becomes a data line; without data there is one empty data line,
// because readers drop an event that has none. A line break in name, which
// would let it forge other fields, ends it.
func Append(dst []byte, name string, data []byte) []byte {
	if first, _ := cutLine([]byte(name)); len(first) > 0 {
		dst = appendLine(dst, "event: ", first)
	}
	return append(appendLines(dst, "data: ", data), '\n')
}

// AppendComment adds a comment, which readers skip, to dst and returns the
// extended slice. It ends with a blank line, so that it stands between events,
// never inside one.
func AppendComment(dst []byte, text string) []byte {
	return append(appendLines(dst, ": ", []byte(text)), '\n')
}

func appendLines(dst []byte, prefix string, text []byte) []byte {
	for {
		line, rest := cutLine(text)
		dst = appendLine(dst, prefix, line)
		if rest == nil {
			return dst
		}
		text = rest
	}
}

func appendLine(dst []byte, prefix string, line []byte) []byte {
	dst = append(dst, prefix...)
	dst = append(dst, line...)
	return append(dst, '\n')
}

// cutLine splits text at its first line break. The rest is nil if there is
// none, and empty but not nil if the break is at the end.
func cutLine(text []byte) (line, rest []byte) {
	i := bytes.IndexAny(text, "\r\n")
	if i < 0 {
		return text, nil
	}
	next := i + 1
	if bytes.HasPrefix(text[i:], []byte("\r\n")) {
		next++
	}
	return text[:i], text[next:]
}
