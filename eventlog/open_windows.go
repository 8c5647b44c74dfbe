package eventlog

import (
	"io/fs"
	"os"
	"syscall"
)

const openFlags = 0

// makePrivate does nothing: the directory's access list decides who may read.
func makePrivate(*os.File, fs.FileInfo) error { return nil }

// openShared opens a file for reading without keeping the proxy from renaming or
// removing it, as os.Open would.
func openShared(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ,
		syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE,
		nil, syscall.OPEN_EXISTING, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
