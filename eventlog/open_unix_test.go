//go:build unix

package eventlog

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func isUnix() bool { return true }

func onlyUnix(*testing.T) {}

// The umask belongs to the whole process: these tests are not parallel.
func TestUmaskDoesNotMatter(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o077, 0o777} {
		dir := filepath.Join(t.TempDir(), "log")
		if mask&0o700 != 0 { // a directory that is created with this mask cannot be used
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, "events.jsonl")
		f, warnings := newTestFile(t, path)
		old := syscall.Umask(mask)
		written := f.put(named("1"))
		syscall.Umask(old)
		if !written {
			t.Errorf("umask %o: not written: %q", mask, *warnings)
			continue
		}
		wantMode(t, path, 0o600)
		wantMode(t, dir, 0o700)
	}
}

func TestSymbolicLinkIsNotFollowed(t *testing.T) {
	t.Parallel()
	for _, exists := range []bool{true, false} {
		dir := t.TempDir()
		target := filepath.Join(dir, "target")
		if exists {
			if err := os.WriteFile(target, []byte("precious"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, "events.jsonl")
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		f, warnings := newTestFile(t, path)
		if f.put(named("1")) {
			t.Error("written through a link")
		}
		wantWarnings(t, *warnings, path+" is a symbolic link")
		if text, _ := os.ReadFile(target); exists && string(text) != "precious" || !exists && text != nil {
			t.Errorf("the link's target holds %q", text)
		}
	}
}

// The link may be made after the check: the open itself must refuse it, too.
func TestOpenFlagsRefuseLinks(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(t.TempDir(), "target"), link); err != nil {
		t.Fatal(err)
	}
	h, err := os.OpenFile(link, os.O_RDWR|os.O_CREATE|openFlags, 0o600)
	if err == nil {
		h.Close()
		t.Error("a link was followed")
	}
}

// Without a reader, opening a pipe would block forever.
func TestNamedPipeIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	f, warnings := newTestFile(t, path)
	if f.put(named("1")) {
		t.Error("written to a pipe")
	}
	wantWarnings(t, *warnings, "neither a regular file nor a device")
}

func TestDirectoryWithoutPermission(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	f, warnings := newTestFile(t, filepath.Join(dir, "events.jsonl"))
	if f.put(named("1")) {
		t.Error("written to a directory that is not writable")
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if !f.put(named("2")) {
		t.Error("not written when it was allowed")
	}
	wantWarnings(t, *warnings, "permission denied")
}

// A device is neither rotated, which would rename it, nor made private.
func TestDevice(t *testing.T) {
	t.Parallel()
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Skip(err)
	}
	f, warnings := newTestFile(t, os.DevNull)
	if !f.put(named("1")) {
		t.Fatalf("not written: %q", *warnings)
	}
	if f.out == f.rotated {
		t.Error("a device is being rotated")
	}
	after, err := os.Stat(os.DevNull)
	if err != nil || after.Mode() != before.Mode() {
		t.Errorf("mode was %v, is %v, %v", before.Mode(), after.Mode(), err)
	}
}

func TestFullDevice(t *testing.T) {
	t.Parallel()
	const path = "/dev/full"
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Skip("this system has none")
	}
	var warnings []string
	l, err := Open(Config{Path: path, Warn: func(line string) { warnings = append(warnings, line) }})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		l.Write(*named("1"))
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if l.Dropped() != 5 {
		t.Errorf("%d dropped, want 5", l.Dropped())
	}
	wantWarnings(t, warnings, "no space left on device")
}
