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
