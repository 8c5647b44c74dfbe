package job_test

import (
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A key's interrupt reaches the child once. One that is sent to the program
// alone is passed on, if it cannot be a key's.
func TestInterrupts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about  string
		mode   string
		key    string
		signal syscall.Signal
		want   string // what the child gets beside the SIGTERMs that follow
	}{
		{"Ctrl-C", "plain", "\x03", 0, "<interrupt>"},
		{"Ctrl-\\", "plain", "\x1c", 0, "<quit>"},
		{"an interrupt that looks like a key's", "plain", "", syscall.SIGINT, ""},
		{"an interrupt where keys make none", "raw", "", syscall.SIGINT, "<interrupt>"},
		{"a quit where keys make none", "raw", "", syscall.SIGQUIT, "<quit>"},
		{"Ctrl-C where it is a byte", "raw", "\x03", 0, ""},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			s := onScreen(t, "imagebreaker", "run", "--mode", "off", "--", "probe", c.mode)
			s.shows(t, "probe ready")
			s.types(t, c.key)
			if c.signal != 0 {
				_ = s.cmd.Process.Signal(c.signal)
			}
			got := ""
			if c.want != "" {
				got = s.shows(t, c.want) + c.want
			}
			// Two, for the first may overtake what was sent before it.
			for range 2 {
				_ = s.cmd.Process.Signal(syscall.SIGTERM)
				got += s.shows(t, "<terminated>")
			}
			if n := strings.Count(got, "<"); n != strings.Count(c.want, "<") || !strings.Contains(got, c.want) {
				t.Errorf("the child got %q, want %q", got, c.want)
			}
		})
	}
}

// Without a terminal there are no keys.
func TestInterruptWithoutTerminal(t *testing.T) {
	t.Parallel()
	s, in := offScreen(t, "imagebreaker", "run", "--mode", "off", "--", "probe")
	s.shows(t, "probe ready")
	_ = s.cmd.Process.Signal(syscall.SIGINT)
	s.shows(t, "<interrupt>")
	_ = s.cmd.Process.Signal(syscall.SIGQUIT)
	s.shows(t, "<quit>")
	_, _ = in.Write([]byte("q"))
	if how, rest := s.ends(t); how.ExitCode() != 7 {
		t.Errorf("%v, %q", how, rest)
	}
}

// What was ignored when the program started is ignored, as after nohup.
func TestIgnoredSignalStaysIgnored(t *testing.T) {
	t.Parallel()
	s, in := offScreen(t, "sh", "-c", "trap '' HUP; exec imagebreaker run --mode off -- probe")
	s.shows(t, "probe ready")
	_ = s.cmd.Process.Signal(syscall.SIGHUP)
	for range 2 { // the first may overtake it
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		if got := s.shows(t, "<terminated>"); strings.Contains(got, "hangup") {
			t.Errorf("the child got %q", got)
		}
	}
	_, _ = in.Write([]byte("q"))
	s.ends(t)
}

// Both stop and both go on, whether the terminal stops them or the child itself.
func TestJobControl(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ about, mode, key string }{
		{"Ctrl-Z", "plain", "\x1a"},
		{"the child stops itself", "raw", "z"},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			s := onScreen(t, "sh", "-i")
			s.types(t, "stty -echo\n")
			s.types(t, "imagebreaker run --mode off -- probe "+c.mode+"\n")
			s.shows(t, "probe ready ")
			child := s.shows(t, ".")
			for range 2 {
				s.types(t, c.key)
				s.shows(t, "topped") // bash, dash: Stopped; others: stopped
				awaitStop(t, child)
				s.types(t, "stty -echo; echo the-shell-again\n")
				s.shows(t, "the-shell-again")
				s.types(t, "fg; echo code-$?\n")
				s.shows(t, "<continued>")
			}
			s.types(t, "q\n")
			s.shows(t, "code-7")
		})
	}
}

// The new size of a window is the child's.
func TestResize(t *testing.T) {
	t.Parallel()
	s := onScreen(t, "imagebreaker", "run", "--mode", "off", "--", "probe", "raw")
	s.shows(t, "probe ready")
	size := &unix.Winsize{Col: 91, Row: 17}
	if err := control(s.keys, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size) }); err != nil {
		t.Fatal(err)
	}
	s.types(t, "w")
	s.shows(t, "<91x17>")
	s.types(t, "q")
	if how, _ := s.ends(t); how.ExitCode() != 7 {
		t.Errorf("%v", how)
	}
}

// Who waits for the program sees what the child died of.
func TestDiesAsTheChild(t *testing.T) {
	t.Parallel()
	s := onScreen(t, "imagebreaker", "run", "--mode", "off", "--", "probe", "raw")
	s.shows(t, "probe ready")
	s.types(t, "i")
	how, rest := s.ends(t)
	if status := how.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("%v, %q", how, rest)
	}
}
