package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// wait runs the command to its end, and returns the exit code and the signal
// that ended it, 0 if none did. The child is in our own process group: what the
// terminal sends (Ctrl-C, Ctrl-Z, a new size) reaches it without us, and is its
// own business. What was sent to us alone is passed on.
func wait(env Env, cmd *exec.Cmd) (int, syscall.Signal) {
	signals := make(chan os.Signal, 8)
	// Caught, not ignored: the child would inherit that. What is ignored already,
	// as after nohup, it shall inherit.
	for _, s := range append(jobSignals(), syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP) {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(env.Stderr, "imagebreaker: run: %q cannot be started: %v\n", cmd.Args[0], reasonOf(err))
		return exitNotExecutable, 0
	}
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				passOn(s, cmd.Process)
			case <-ended:
				return
			}
		}
	}()
	err := cmd.Wait()
	close(ended)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return exitOK, 0
	case errors.As(err, &exit):
		return childCode(exit.ProcessState)
	}
	fmt.Fprintf(env.Stderr, "imagebreaker: run: %v\n", err)
	return exitFailed, 0
}

// passOn does for the child what a signal asks of us. An error means that it
// has just ended.
func passOn(s os.Signal, child *os.Process) {
	switch s {
	case syscall.SIGTERM, syscall.SIGHUP:
		_ = child.Signal(s)
	case syscall.SIGINT, syscall.SIGQUIT:
		if !fromKeyboard() {
			_ = child.Signal(s)
		}
	default:
		followStop(child.Pid)
	}
}

// childCode is the child's own, or what a shell makes of the signal that ended it.
func childCode(state *os.ProcessState) (int, syscall.Signal) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), status.Signal()
	}
	return state.ExitCode(), 0
}
