package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a terminal of so many columns.
func openTerminal(t *testing.T, columns uint16) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Skip(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { program.Close() })
	return screen, program
}

func TestTerminalOf(t *testing.T) {
	t.Parallel()
	for columns, want := range map[uint16]int{132: 132, 40: 40, 0: usualWidth} {
		if _, program := openTerminal(t, columns); program != nil {
			if got, ok := terminalOf(program); got != want || !ok {
				t.Errorf("%d columns: %d, %t", columns, got, ok)
			}
		}
	}
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, w := range []io.Writer{file, io.Discard, &bytes.Buffer{}} {
		if got, ok := terminalOf(w); ok {
			t.Errorf("%T is a terminal of %d columns", w, got)
		}
	}
}

// A terminal gets colours and what fits; of JSON, nothing that commands it.
func TestEventsOnTerminal(t *testing.T) {
	t.Parallel()
	path := logOf(t, logLine("short_circuited", "s", "m\u009b31m"))
	tests := []struct {
		args, term string
		want, not  string
	}{
		{"", "xterm", "\x1b[33mheld\x1b[0m", "\u009b"},
		{"", "dumb", " held ", "\x1b"},
		{"--json", "xterm", `"model":"m\u009b31m"`, "\u009b"},
		{"stats", "xterm", `  m\u009b31m`, "\u009b"},
		{"stats --json", "xterm", `"m\u009b31m"`, "\u009b"},
	}
	for _, tt := range tests {
		screen, program := openTerminal(t, 80)
		env := Env{
			Args:   append([]string{"events", "--events", path}, strings.Fields(tt.args)...),
			Getenv: func(name string) string { return map[string]string{"TERM": tt.term}[name] },
			Stdout: program, Stderr: io.Discard,
		}
		if code := Run(t.Context(), env); code != exitOK {
			t.Errorf("%s: exit %d", tt.args, code)
		}
		got := make([]byte, 16<<10)
		n, err := screen.Read(got)
		if err != nil {
			t.Fatal(err)
		}
		if s := string(got[:n]); !strings.Contains(s, tt.want) || strings.Contains(s, tt.not) {
			t.Errorf("events %s in %s: %q", tt.args, tt.term, s)
		}
	}
}
