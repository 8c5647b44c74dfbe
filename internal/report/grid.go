package report

import "strings"

// row is a line of a grid. Its texts must be safe.
type row struct {
	cells []string // a label, then numbers
	note  string
}

// writeGrid aligns rows, labels to the left and numbers to the right.
func writeGrid(b *strings.Builder, rows []row) {
	var widths []int
	for _, r := range rows {
		widths = append(widths, make([]int, max(0, len(r.cells)-len(widths)))...)
		for i, cell := range r.cells {
			widths[i] = max(widths[i], columnsOf(cell))
		}
	}
	for _, r := range rows {
		line := "  "
		for i, cell := range r.cells {
			blanks := strings.Repeat(" ", widths[i]-columnsOf(cell))
			if i == 0 {
				line += cell + blanks
			} else {
				line += "  " + blanks + cell
			}
		}
		b.WriteString(strings.TrimRight(line+"   "+r.note, " ") + "\n")
	}
}

// columnsOf is how many columns of a terminal a safe text takes.
func columnsOf(s string) int {
	n := 0
	for _, r := range s {
		_, w := shown(r)
		n += w
	}
	return n
}

// wrapped breaks a text, which must be safe, into lines of at most so many
// columns, if its words allow.
func wrapped(s string, most int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(s) {
		switch w := columnsOf(word); {
		case column == 0:
			column = w
		case column+1+w > most:
			b.WriteByte('\n')
			column = w
		default:
			b.WriteByte(' ')
			column += 1 + w
		}
		b.WriteString(word)
	}
	return b.String() + "\n"
}
