package eventlog

import (
	"fmt"
	"io/fs"
	"os"
)

// openPrivate opens the file at path for appending lines and reading its end. It is
// created, for the owner only, if it does not exist. A symbolic link is refused: in
// a directory that others can write to, it could point anywhere.
func openPrivate(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s is a symbolic link, which is not followed", path)
	}
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|openFlags, 0o600)
}

// OpenPrivate opens a file for appending as the log's own is opened: it is created if
// it does not exist, is accessible to its owner only, and is neither a symbolic link
// nor a pipe nor a device. The error says which of these it is.
func OpenPrivate(path string) (*os.File, error) {
	h, err := openPrivate(path)
	if err != nil {
		return nil, err
	}
	info, err := h.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err == nil {
		err = makePrivate(h, info)
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}
