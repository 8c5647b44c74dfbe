package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, "imagebreaker", "events.jsonl")
	f, warnings := newTestFile(t, path)
	if !f.put(named("1")) {
		t.Fatalf("not written: %q", *warnings)
	}
	wantWarnings(t, *warnings)
	onlyUnix(t)
	wantMode(t, dir, 0o700)
	wantMode(t, filepath.Dir(path), 0o700)
	wantMode(t, path, 0o600)
}

func TestExistingDirectoryIsNotChanged(t *testing.T) {
	t.Parallel()
	onlyUnix(t)
	dir := filepath.Join(t.TempDir(), "existing")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	f, _ := newTestFile(t, filepath.Join(dir, "events.jsonl"))
	f.put(named("1"))
	wantMode(t, dir, 0o755)
}

// A log of an older version, or from a backup, is continued and made private.
func TestExistingFileIsMadePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := errors.Join(os.WriteFile(path, []byte(encoded(*named("old"))), 0o600), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	f, warnings := newTestFile(t, path)
	f.put(named("new"))
	wantWarnings(t, *warnings)
	if diff := cmp.Diff([]string{"old", "new"}, readIDs(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	onlyUnix(t)
	wantMode(t, path, 0o600)
}

func TestRotationLosesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, warnings := newTestFile(t, filepath.Join(dir, "events.jsonl"))
	const events = 20_000 // of about 200 bytes each
	var want []string
	for i := range events {
		e := named(fmt.Sprintf("%06d", i))
		e.Path = "/v1/" + strings.Repeat("p", 100)
		want = append(want, e.RequestID)
		if !f.put(e) {
			t.Fatalf("event %d not written: %q", i, *warnings)
		}
	}
	f.close()
	wantWarnings(t, *warnings)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 4 {
		t.Fatalf("files %q, %v; want the log and some rotated ones", files, err)
	}
	var got []string
	for _, path := range files {
		got = append(got, readIDs(t, path)...)
		if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 {
			t.Errorf("%s: %d bytes, %v; want at most a megabyte", path, info.Size(), err)
		}
		if isUnix() {
			wantMode(t, path, 0o600)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
}

func TestDirectoryRemoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "log")
	path := filepath.Join(dir, "events.jsonl")
	f, warnings := newTestFile(t, path)
	f.put(named("1"))
	f.put(named("2"))
	if err := os.RemoveAll(dir); err != nil {
		t.Skipf("this system keeps open files: %v", err)
	}
	f.put(named("3"))
	f.put(named("4"))
	wantWarnings(t, *warnings)
	if diff := cmp.Diff([]string{"3", "4"}, readIDs(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	onlyUnix(t)
	wantMode(t, dir, 0o700)
	wantMode(t, path, 0o600)
}

// A file replaces the directory: what is written to the file that was in there would
// be lost silently.
func TestDirectoryReplacedByFile(t *testing.T) {
	t.Parallel()
	onlyUnix(t)
	dir := filepath.Join(t.TempDir(), "log")
	f, warnings := newTestFile(t, filepath.Join(dir, "events.jsonl"))
	f.put(named("1"))
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if f.put(named("2")) {
		t.Error("written to a file that is gone")
	}
	wantWarnings(t, *warnings, dir)
}

// Another program that rotates logs, or another proxy with the same log, renames
// the file.
func TestFileRenamed(t *testing.T) {
	t.Parallel()
	onlyUnix(t)
	path := filepath.Join(t.TempDir(), "events.jsonl")
	f, _ := newTestFile(t, path)
	f.put(named("1"))
	if err := errors.Join(os.Rename(path, path+".1"), os.WriteFile(path, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	f.put(named("2"))
	if diff := cmp.Diff([]string{"2"}, readIDs(t, path)); diff != "" {
		t.Errorf("new file (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1"}, readIDs(t, path+".1")); diff != "" {
		t.Errorf("old file (-want +got):\n%s", diff)
	}
	wantMode(t, path, 0o600)
}

func TestDiskFullTemporarily(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	f, warnings := newTestFile(t, path)
	disk := &fullDisk{WriteCloser: f.rotated}
	f.rotated = disk
	var got []bool
	for i := range 9 {
		disk.full = i == 1 || i == 2 || i == 5
		got = append(got, f.put(named(strconv.Itoa(i))))
	}
	if diff := cmp.Diff([]bool{true, false, false, true, true, false, true, true, true}, got); diff != "" {
		t.Errorf("taken (-want +got):\n%s", diff)
	}
	wantWarnings(t, *warnings, "event log: no space left on device; events are dropped")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	damaged := 0
	for e, err := range Read(strings.NewReader(string(text))) {
		if err != nil {
			damaged++
			continue
		}
		ids = append(ids, e.RequestID)
	}
	if diff := cmp.Diff([]string{"0", "3", "4", "6", "7", "8"}, ids); diff != "" || damaged != 3 {
		t.Errorf("%d damaged lines, want 3; events (-want +got):\n%s", damaged, diff)
	}
}

func TestLineTruncatedByCrash(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(path, []byte(ok+"\n"+ok[:30]), 0o600); err != nil {
		t.Fatal(err)
	}
	f, _ := newTestFile(t, path)
	f.put(named("1"))
	f.put(named("2"))
	text, err := os.ReadFile(path)
	if want := ok + "\n" + ok[:30] + "\n" + encoded(*named("1")) + encoded(*named("2")); err != nil || string(text) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, text, want)
	}
}

// The parent of the directory is a file for a while: nobody, not even root, can
// create the directory then.
func TestDirectoryCannotBeCreated(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "parent")
	path := filepath.Join(parent, "log", "events.jsonl")
	f, warnings := newTestFile(t, path)
	if err := os.WriteFile(parent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if f.put(named("1")) || f.put(named("2")) {
		t.Error("written without a folder")
	}
	if err := os.Remove(parent); err != nil {
		t.Fatal(err)
	}
	if !f.put(named("3")) {
		t.Error("not written when the folder could be made")
	}
	wantWarnings(t, *warnings, parent)
	if diff := cmp.Diff([]string{"3"}, readIDs(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFileCannotBeOpened(t *testing.T) {
	t.Parallel()
	f, warnings := newTestFile(t, filepath.Join(t.TempDir(), "events.jsonl"))
	locked := true
	f.open = func(path string) (*os.File, error) {
		if locked {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return openPrivate(path)
	}
	if f.put(named("1")) || f.put(named("2")) {
		t.Error("written to a file that cannot be opened")
	}
	locked = false
	if !f.put(named("3")) {
		t.Error("not written when it could be")
	}
	wantWarnings(t, *warnings, "permission denied; events are dropped")
	if diff := cmp.Diff([]string{"3"}, readIDs(t, f.path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPathIsDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	f, warnings := newTestFile(t, path)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if f.put(named("1")) {
		t.Error("written to a folder")
	}
	wantWarnings(t, *warnings, path)
}

// Each kind of problem is reported once, and one kind does not hide another.
func TestWarnings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log", "events.jsonl")
	f, warnings := newTestFile(t, path)
	disk := &fullDisk{WriteCloser: f.rotated, full: true}
	f.rotated = disk
	f.put(named("1"))
	if err := errors.Join(os.RemoveAll(filepath.Dir(path)), os.WriteFile(filepath.Dir(path), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	f.put(named("2"))
	if err := os.Remove(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	f.put(named("3"))
	wantWarnings(t, *warnings, errFull.Error(), filepath.Dir(path))
}

func BenchmarkPut(b *testing.B) {
	f := newFile(Config{Path: filepath.Join(b.TempDir(), "events.jsonl")}, newWarner(nil))
	defer f.close()
	e := golden[3].event
	e.Time = Time{noon}
	b.ReportAllocs()
	b.SetBytes(int64(len(encoded(e))))
	for b.Loop() {
		if !f.put(&e) {
			b.Fatal("not written")
		}
	}
}
