package eventlog

import (
	"fmt"
	"io/fs"
	"os"
)

// openPrivate opens the file at path to append whole lines and to read its end,
// and makes it, for the owner only, if there is none. A symbolic link is
// refused: in a folder that others can write to, it could lead anywhere.
func openPrivate(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s is a symbolic link, which is not followed", path)
	}
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|openFlags, 0o600)
}

// OpenPrivate opens a file to append to as the log's own is opened: made for the
// owner only if there is none, taken away from everybody else if there is one,
// and no symbolic link, pipe or device. The error says which of these it is.
func OpenPrivate(path string) (*os.File, error) {
	h, err := openPrivate(path)
	if err != nil {
		return nil, err
	}
	info, err := h.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err == nil {
		err = keepPrivate(h, info)
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}
