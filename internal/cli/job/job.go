// Package job runs a command as if it were this process: in the same process group,
// with the same terminal and signals, and the same way of ending.
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
	Code   int            // the exit code, or 128 + Signal
	Signal syscall.Signal // the signal that killed it; 0 if it exited
}

// Run starts the command and waits for it to end. The child is in our own process
// group: signals of the terminal (Ctrl-C, Ctrl-Z, a resize) reach it directly, and
// those that were sent to us alone are forwarded. On an error, cmd.Process is nil
// if the command could not be started.
func Run(cmd *exec.Cmd) (End, error) {
	signals := make(chan os.Signal, 8)
	// The signals are caught, not ignored, because the child would inherit that. It
	// does inherit those that are ignored already, as after nohup.
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
				forward(s, cmd.Process)
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

// forward does for the child what a signal asks of us. Errors are ignored: they
// mean that it has just ended.
func forward(s os.Signal, child *os.Process) {
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
