//go:build unix

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The file for what the proxy has to say is private, and nothing but a file: a
// pipe would wait for its reader before the command starts, a link could lead
// anywhere. Where it cannot be had, there is a temporary one.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(path string) error
		here bool
	}{
		{"new", func(string) error { return nil }, true},
		{"there", func(p string) error { return os.WriteFile(p, []byte("before\n"), 0o600) }, true},
		{"wide", func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Chmod(p, 0o644)) }, true},
		{"link", func(p string) error { return os.Symlink(p+".target", p) }, false},
		{"pipe", func(p string) error { return syscall.Mkfifo(p, 0o600) }, false},
		{"folder", func(p string) error { return os.Mkdir(p, 0o700) }, false},
	} {
		dir := filepath.Join(t.TempDir(), "state")
		path := filepath.Join(dir, "run.log")
		if c.name != "new" {
			if err := errors.Join(os.Mkdir(dir, 0o700), c.make(path)); err != nil {
				t.Fatal(err)
			}
		}
		f, err := openMessages(filepath.Join(dir, "events.jsonl"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		defer f.Close()
		if !c.here {
			defer os.Remove(f.Name())
		}
		info, err := f.Stat()
		if err != nil || info.Mode() != 0o600 || (f.Name() == path) != c.here {
			t.Errorf("%s: %s is %v, %v", c.name, f.Name(), info.Mode(), err)
		}
		if folder, err := os.Stat(dir); err != nil || folder.Mode().Perm() != 0o700 {
			t.Errorf("%s: the folder is %v, %v", c.name, folder.Mode(), err)
		}
		if _, err := f.WriteString("message\n"); err != nil {
			t.Error(err)
		}
		if b, _ := os.ReadFile(f.Name()); !strings.HasSuffix(string(b), "message\n") || c.name == "there" && !strings.HasPrefix(string(b), "before\n") {
			t.Errorf("%s: %q", c.name, b)
		}
		if _, err := os.Stat(path + ".target"); err == nil {
			t.Errorf("%s: the link was followed", c.name)
		}
	}
}
