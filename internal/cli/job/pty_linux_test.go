package job_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
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
	s.cmd.Env = childEnviron(t)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.start(t)
	tty.Close()
	go s.read()
	s.cleanUp(t)
	return s
}

// offScreen starts a program in a session without a terminal. What is written
// to it is its input.
func offScreen(t *testing.T, args ...string) (*screen, io.Writer) {
	t.Helper()
	s := &screen{cmd: exec.Command(args[0], args[1:]...), more: make(chan []byte)}
	s.cmd.Env = childEnviron(t)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.start(t)
	s.keys = out.(*os.File)
	go s.read()
	s.cleanUp(t)
	return s, in
}

func childEnviron(t *testing.T) []string {
	return []string{quickExit, "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
}

// start gives the program the signals as they are by default. Tests that run in
// the background of a script begin with some of them ignored.
func (s *screen) start(t *testing.T) {
	t.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP)
	defer signal.Stop(caught)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

func (s *screen) cleanUp(t *testing.T) {
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // fails if it has ended
		s.keys.Close()
		for range s.more {
		}
		_ = s.cmd.Wait()
	})
}

func openPTY() (keys, tty *os.File, err error) {
	keys, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	n := 0
	err = control(keys, func(fd int) (err error) {
		if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err == nil {
			n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	return keys, tty, err
}

// control leaves the file as it is, where Fd would make its reads such that
// Close has to wait for them.
func control(f *os.File, do func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Control(func(fd uintptr) { err = do(int(fd)) })
	return errors.Join(failed, err)
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

// awaitStop waits until all threads of the process have stopped. One that is about to
// can still read what is typed next, for the shell.
func awaitStop(t *testing.T, pid string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		threads, _ := filepath.Glob("/proc/" + pid + "/task/*/stat")
		if !slices.ContainsFunc(threads, isRunning) {
			return
		}
	}
	t.Fatal("does not stop")
}

func isRunning(thread string) bool {
	stat, err := os.ReadFile(thread)
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "T")
}
