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

// jobSignals tell of a child that has stopped. What wakes us wakes the child too:
// shells send it to the whole job.
func jobSignals() []os.Signal { return []os.Signal{syscall.SIGCHLD} }

// terminal calls do with the controlling terminal, if we have one and our
// process group is in its foreground; else it returns false. Standard input may
// be a file: what counts is where the keyboard's signals come from.
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

// fromKeyboard tells whether an interrupt or a quit can be a key's, so that the
// child has it already. Twice would be once too often: agents take a second
// Ctrl-C for the wish to end. No key makes a signal in a terminal in raw mode,
// where full-screen programs have it.
func fromKeyboard() bool {
	return terminal(func(fd int) bool {
		mode, err := unix.IoctlGetTermios(fd, getTermios)
		return err == nil && mode.Lflag&unix.ISIG != 0
	})
}

// settling is how long a stop must last before we follow it: the key for it
// stops both of us, and on waking we may see the child before it wakes too.
const settling = 50 * time.Millisecond

// followStop stops us after a child that has stopped by itself, as full-screen
// programs do on Ctrl-Z: a shell gives the prompt only when we have stopped.
// Outside of the foreground nobody would wake us.
func followStop(child int) {
	for isStopped(child) && inForeground() {
		since := time.Now()
		time.Sleep(settling)
		if time.Since(since) > 2*settling {
			continue // we were stopped ourselves
		}
		if isStopped(child) && inForeground() {
			_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
		}
		return
	}
}

// DieOf ends the process as the signal would have ended it, for the sake of
// whoever waits for it: a script stops when a command of its dies of Ctrl-C. It
// returns for a signal that Go's runtime has other plans with.
func DieOf(s syscall.Signal) {
	if !slices.Contains([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL}, s) || signal.Ignored(s) {
		return
	}
	signal.Reset(s)
	if unix.Kill(unix.Getpid(), s) == nil {
		time.Sleep(time.Minute) // it arrives at another thread, soon
	}
}
