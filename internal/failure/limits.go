package failure

import (
	"regexp"
	"strconv"

	"imagebreaker/internal/record"
)

// Limits are the numbers of a message about a limit, or about what broke one.
type Limits struct {
	Count int   // how many items the upstream takes; -1 if the message does not tell
	Side  int   // how many pixels a side may have; 0 if the message tells none, or several numbers
	Said  []int // of a message about a size in bytes: the first 16 numbers of three digits or more
}

// limitsOf reads the limits that a judged message is about.
func limitsOf(s subject, d decision) Limits {
	l := Limits{Count: -1}
	switch {
	case d.reason == record.TooManyMedia || d.rule == "at-most-none":
		l.Count = countIn(s.text)
	case d.reason == record.TooLarge:
		l.Said = sizesIn(s.message)
	case d.reason == record.Dimensions:
		if sides := sizesIn(s.message); len(sides) == 1 {
			l.Side = sides[0]
		}
	}
	return l
}

var (
	counts = []*regexp.Regexp{
		compile(`at most (\d+) (?:ITEM)`),
		compile(`\d+(?: images| videos| documents| media)?(?: items)? > ?(\d+)`),
		compile(`max_\w+:? (\d+)`),
		compile(`you set \w+=(\d+)`),
		compile(`(?:max(?:imum)?|up to|at most|limit(?:ed)?|only|supports?|more than|exceeds?|allowed|must be (?:less|` +
			`fewer) than)(?: (?:of|is|allowed|the|to|or equal to|number|images?|count|per|request|prompt|allows?|` +
			`supports?|accepts?|limit|maximum|a|single|per-prompt))*:? ?\(?(\d+|one|single|two)\b`),
		compile(`\b(?:a |only )?(one|single|two) (?:image|video)`),
	}
	numerals = map[string]int{"one": 1, "single": 1, "two": 2}
)

// countIn is how many items the upstream takes, -1 if the text tells none.
func countIn(text string) int {
	for _, re := range counts {
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		if n, ok := numerals[m[1]]; ok {
			return n
		}
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
	}
	return -1
}

// maxSizes bounds what is kept of a message that lists numbers without end.
const maxSizes = 16

var size = regexp.MustCompile(`\d{3,}`)

// sizesIn are the numbers of a message that can be sizes, of bytes or of pixels.
// One that no int holds counts as the largest.
func sizesIn(message string) []int {
	var out []int
	for _, digits := range size.FindAllString(message, maxSizes) {
		n, _ := strconv.Atoi(digits)
		out = append(out, n)
	}
	return out
}
