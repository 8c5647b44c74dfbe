package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// screen is a terminal with a program in its foreground, and what that has
// written so far.
type screen struct {
	keys *os.File
	cmd  *exec.Cmd
	more chan []byte // closed when nobody has the terminal any more
	text bytes.Buffer
}

// onScreen starts a program as the leader of a terminal's session.
func onScreen(t *testing.T, args ...string) *screen {
	t.Helper()
	keys, tty, err := openPTY()
	if err != nil {
		t.Skip("no pseudo terminal: ", err)
	}
	s := &screen{keys: keys, cmd: exec.Command(args[0], args[1:]...), more: make(chan []byte)}
	s.cmd.Env = []string{quickExit, "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	go s.read()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // fails if it has ended
		_ = s.cmd.Wait()
		keys.Close()
		for range s.more {
		}
	})
	return s
}

func openPTY() (keys, tty *os.File, err error) {
	keys, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(keys.Fd())
	if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	return keys, tty, err
}

func (s *screen) read() {
	defer close(s.more)
	for {
		buf := make([]byte, 4096)
		n, err := s.keys.Read(buf)
		if n > 0 {
			s.more <- buf[:n]
		}
		if err != nil { // EIO, when the last program has ended
			return
		}
	}
}

func (s *screen) types(t *testing.T, keys string) {
	t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// shows waits for the words, and returns what stood before them.
func (s *screen) shows(t *testing.T, words string) string {
	t.Helper()
	late := time.After(patience)
	for {
		if before, after, ok := strings.Cut(s.text.String(), words); ok {
			s.text.Reset()
			s.text.WriteString(after)
			return before
		}
		select {
		case p, ok := <-s.more:
			if !ok {
				t.Fatalf("ended without %q: %q", words, s.text.String())
			}
			s.text.Write(p)
		case <-late:
			t.Fatalf("no %q in %q", words, s.text.String())
		}
	}
}

// ends waits for the program's end and returns how it was, and the rest of
// what is on the screen.
func (s *screen) ends(t *testing.T) (*os.ProcessState, string) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case p, ok := <-s.more:
			if !ok {
				_ = s.cmd.Wait() // it is in ProcessState
				return s.cmd.ProcessState, s.text.String()
			}
			s.text.Write(p)
		case <-late:
			t.Fatalf("does not end: %q", s.text.String())
		}
	}
}
