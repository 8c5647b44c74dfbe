// Package job runs a command in this process's place: in its process group, with
// its terminal, its signals and, at the end, its way of ending.
package job

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// End is how a command ended.
type End struct {
	Code   int            // its exit code, or what a shell makes of the signal
	Signal syscall.Signal // what ended it; 0: no signal did
}

// Run starts the command and waits for its end. The child is in our own process
// group: what the terminal sends (Ctrl-C, Ctrl-Z, a new size) reaches it without
// us, and is its own business. What was sent to us alone is passed on. After an
// error cmd.Process is nil if the command could not be started.
func Run(cmd *exec.Cmd) (End, error) {
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
		return End{}, err
	}
	ended := make(chan struct{})
	defer close(ended)
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
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return End{}, err
	}
	return endOf(cmd.ProcessState), nil
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

func endOf(state *os.ProcessState) End {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return End{Code: 128 + int(status.Signal()), Signal: status.Signal()}
	}
	return End{Code: state.ExitCode()}
}
