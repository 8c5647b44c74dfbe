//go:build unix

package eventlog

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags refuse a symbolic link that appeared since we looked, and keep a
// named pipe from blocking until somebody reads it.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// keepPrivate takes the file away from everybody but its owner.
func keepPrivate(h *os.File, info fs.FileInfo) error {
	if info.Mode().Perm() == 0o600 {
		return nil
	}
	return h.Chmod(0o600)
}
