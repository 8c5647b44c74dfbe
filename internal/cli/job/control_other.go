//go:build !linux && !darwin

package job

import (
	"os"
	"syscall"
)

func jobSignals() []os.Signal { return nil }

// fromKeyboard: what is not known is taken for a key's, which the child has.
func fromKeyboard() bool { return true }

func followStop(int) {}

// DieOf does nothing here: the exit code tells how the child ended.
func DieOf(syscall.Signal) {}
