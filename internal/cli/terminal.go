package cli

import (
	"cmp"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// usualWidth is assumed for a terminal that does not know its own, in columns.
const usualWidth = 80

// terminalOf returns the width of the terminal that w writes to, and whether it is
// one at all.
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

// wantsColour reports whether to send colours to a terminal. On Windows only newer
// ones support them.
func wantsColour(getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return false
	}
	return runtime.GOOS != "windows" || getenv("WT_SESSION") != "" || getenv("TERM") != ""
}
