package cli

import (
	"strconv"
	"strings"
	"unicode"
)

// printable returns a file name that is safe to print on a terminal.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}
