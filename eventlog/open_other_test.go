//go:build !unix

package eventlog

import "testing"

func isUnix() bool { return false }

func onlyUnix(t *testing.T) {
	t.Helper()
	t.Skip("permissions are no file modes here")
}
