package cli

import (
	"cmp"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// usualWidth is a terminal's that does not tell its own.
const usualWidth = 80

// terminalOf is the width of the terminal that w writes to, and whether it is
// one.
func terminalOf(w io.Writer) (columns int, ok bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, false
	}
	return cmp.Or(columns, usualWidth), true
}

// wantsColour tells whether a terminal is to be sent colours. On Windows only
// newer ones understand them.
func wantsColour(getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return false
	}
	return runtime.GOOS != "windows" || getenv("WT_SESSION") != "" || getenv("TERM") != ""
}
