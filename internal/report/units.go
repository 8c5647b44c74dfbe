package report

import (
	"strconv"
	"strings"
)

// Bytes is a number of bytes for people, in B, KiB or MiB.
func Bytes(n int64) string {
	switch {
	case n >= 1<<20:
		return tenths(float64(n)/(1<<20)) + " MiB"
	case n >= 1<<10:
		return tenths(float64(n)/(1<<10)) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " B"
}

func tenths(f float64) string { return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") }

// grouped is a number with a comma before each three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
