//go:build !windows

package eventlog

import "os"

// openShared opens a file for reading; others may rename and remove it.
func openShared(path string) (*os.File, error) { return os.Open(path) }
