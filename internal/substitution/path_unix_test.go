//go:build unix

package substitution

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is neither opened (a pipe would wait for its writer
// for ever), nor followed, nor replaced (a device would be gone). It is told
// once, and the memory works without a file.
func TestPathThatIsNoFile(t *testing.T) {
	t.Parallel()
	const precious = `{"version":1,"repairs":[]}`
	for _, c := range []struct {
		name string
		make func(path string) error
		kind fs.FileMode
	}{
		{"pipe", func(p string) error { return syscall.Mkfifo(p, 0o600) }, fs.ModeNamedPipe},
		{"folder", func(p string) error { return os.Mkdir(p, 0o700) }, fs.ModeDir},
		{"link", func(p string) error {
			return errors.Join(os.WriteFile(p+".target", []byte(precious), 0o644), os.Symlink(p+".target", p))
		}, fs.ModeSymlink},
		{"link to nothing", func(p string) error { return os.Symlink(p+".target", p) }, fs.ModeSymlink},
	} {
		for _, late := range []bool{false, true} { // it may also come while the program runs
			path := filepath.Join(t.TempDir(), "repairs.json")
			var warned []string
			open := func() *Memory {
				return Open(Config{Path: path, Warn: func(s string) { warned = append(warned, s) }})
			}
			var m *Memory
			if late {
				m = open()
			}
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			if !late {
				m = open()
			}
			m.Add("s", "scope", item(1), why)
			m.Add("s", "scope", item(2), why)
			if got := found(m, "s", 1, 2); got != "12" {
				t.Errorf("%s, late %v: found %q", c.name, late, got)
			}
			m.Close()
			if len(warned) != 1 || !strings.Contains(warned[0], path+" is no regular file") {
				t.Errorf("%s, late %v: warned %q", c.name, late, warned)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode().Type() != c.kind {
				t.Errorf("%s, late %v: has become %v, %v", c.name, late, info.Mode(), err)
			}
			if b, err := os.ReadFile(path + ".target"); err == nil && string(b) != precious {
				t.Errorf("%s, late %v: a link was followed: %s", c.name, late, b)
			}
		}
	}
}

// A file that others could read, restored from a backup for one, is private
// from the first change on.
func TestWideFileIsNarrowed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "repairs.json")
	if err := errors.Join(os.WriteFile(path, []byte(`{"version":1}`), 0o600), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	m := Open(Config{Path: path})
	m.Add("s", "scope", item(1), why)
	m.Close()
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
