//go:build !unix

package eventlog

import (
	"io/fs"
	"os"
)

const openFlags = 0

// keepPrivate does nothing: the folder's access list decides who may read.
func keepPrivate(*os.File, fs.FileInfo) error { return nil }
