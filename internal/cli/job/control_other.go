//go:build !linux && !darwin

package job

import (
	"os"
	"syscall"
)

func jobSignals() []os.Signal { return nil }

// fromKeyboard assumes that all signals are from the keyboard, which the child has
// received, too.
func fromKeyboard() bool { return true }

func followStop(int) {}

// DieOf does nothing on this system: only the exit code tells how the child ended.
func DieOf(syscall.Signal) {}
