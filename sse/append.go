package sse

import "bytes"

// Append appends one event to dst and returns the extended slice. The line
// "event: name" is left out if name is empty. Each line of data (CR, LF and CRLF
// end one) becomes a data line; without data there is one empty data line, because
// readers discard an event that has none. A line break in name, which would allow
// it to inject other fields, ends it.
func Append(dst []byte, name string, data []byte) []byte {
	if first, _, _ := cutLine([]byte(name)); len(first) > 0 {
		dst = appendField(dst, "event: ", first)
	}
	for more := true; more; {
		var line []byte
		line, data, more = cutLine(data)
		dst = appendField(dst, "data: ", line)
	}
	return append(dst, '\n')
}

func appendField(dst []byte, prefix string, value []byte) []byte {
	dst = append(dst, prefix...)
	dst = append(dst, value...)
	return append(dst, '\n')
}

// cutLine slices text around its first line break, as bytes.Cut does.
func cutLine(text []byte) (line, rest []byte, found bool) {
	i := bytes.IndexAny(text, "\r\n")
	if i < 0 {
		return text, nil, false
	}
	rest = text[i+1:]
	if text[i] == '\r' {
		rest = bytes.TrimPrefix(rest, []byte("\n"))
	}
	return text[:i], rest, true
}
