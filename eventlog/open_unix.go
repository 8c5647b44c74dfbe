//go:build unix

package eventlog

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags refuse a symbolic link that was made after the check, and keep a named
// pipe from blocking until it has a reader.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// makePrivate takes the file away from everybody but its owner.
func makePrivate(h *os.File, info fs.FileInfo) error {
	if info.Mode().Perm() == 0o600 {
		return nil
	}
	return h.Chmod(0o600)
}

// openShared opens a file for reading; others may rename and remove it.
func openShared(path string) (*os.File, error) { return os.Open(path) }
