//go:build linux || darwin

package job

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// jobSignals returns the signals that may mean that the child has stopped. There is
// no need to forward SIGCONT: shells send it to the whole job.
func jobSignals() []os.Signal { return []os.Signal{syscall.SIGCHLD} }

// terminal calls do with the controlling terminal if our process group is in its
// foreground, and otherwise returns false. It does not look at standard input,
// which may be a file while the keyboard still sends signals.
func terminal(do func(fd int) bool) bool {
	fd, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp() && do(fd)
}

func inForeground() bool { return terminal(func(int) bool { return true }) }

// fromKeyboard reports whether a SIGINT or SIGQUIT can be from the keyboard, so that
// the child has received it, too. It must not get it twice: agents exit on a second
// Ctrl-C. In raw mode, which full-screen programs use, no key sends a signal.
func fromKeyboard() bool {
	return terminal(func(fd int) bool {
		mode, err := unix.IoctlGetTermios(fd, getTermios)
		return err == nil && mode.Lflag&unix.ISIG != 0
	})
}

// settling is how long the child must be stopped before we stop, too: Ctrl-Z stops
// both of us, and once resumed we may see the child before it is resumed.
const settling = 50 * time.Millisecond

// followStop stops this process after a child that has stopped itself, as full-screen
// programs do on Ctrl-Z: the shell waits for us before it shows its prompt. In the
// background nobody would resume us.
func followStop(child int) {
	for isStopped(child) && inForeground() {
		since := time.Now()
		time.Sleep(settling)
		if time.Since(since) > 2*settling {
			continue // we were stopped, too
		}
		if isStopped(child) && inForeground() {
			_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
		}
		return
	}
}

// DieOf kills this process by the signal, so that its parent sees how the child
// ended: scripts, for example, stop when a command dies of Ctrl-C. It returns if the
// signal is ignored, or is one that the Go runtime handles itself.
func DieOf(s syscall.Signal) {
	if !slices.Contains([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL}, s) || signal.Ignored(s) {
		return
	}
	signal.Reset(s)
	if unix.Kill(unix.Getpid(), s) == nil {
		time.Sleep(time.Minute) // until another thread handles it
	}
}
