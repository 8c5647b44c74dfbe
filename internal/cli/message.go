package cli

import (
	"strconv"
	"strings"
	"unicode"
)

// printable is a name as a terminal may show it. A file may be called anything.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}
