package substitution

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"imagebreaker/internal/record"
)

// formatVersion is the state file's; another one is not read.
const formatVersion = 1

const (
	maxFile   = 64 << 20 // bytes that are read
	maxStored = 1 << 16  // substitutions that are written, of all processes that share the file
)

// state is the state file.
type state struct {
	Version int      `json:"version"`
	Repairs []stored `json:"repairs"`
}

// stored is a substitution in the file, the least recently used first.
type stored struct {
	Key       string        `json:"key"` // SHA-256 over session, scope and sum
	Signature string        `json:"signature"`
	Reason    record.Reason `json:"reason"`
	Unsure    bool          `json:"unsure,omitempty"`
	Used      time.Time     `json:"used"`
}

func (s stored) record() Record { return Record{Mark{s.Signature, s.Reason, s.Unsure}, s.Used} }

// What is stored stands in headers and pages again, so that it must be what was
// once written.
var (
	storedKey       = regexp.MustCompile(`^[0-9a-f]{64}$`)
	storedSignature = regexp.MustCompile(`^(?:[0-9a-f]{16})?$`)
	storedReason    = regexp.MustCompile(`^[a-z0-9_]{0,64}$`)
)

func (s stored) valid() bool {
	return storedKey.MatchString(s.Key) && storedSignature.MatchString(s.Signature) && storedReason.MatchString(string(s.Reason))
}

// errNoFile is of a path that leads to something else: to open a pipe could take
// for ever, to write in a device's place would replace it, and a link in a folder
// that others write to could lead anywhere.
var errNoFile = errors.New("is no regular file")

// check says whether a path can be the file's.
func check(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s %w", path, errNoFile)
	}
	return nil
}

// load reads the file. One that does not exist holds nothing.
func load(path string) ([]stored, error) {
	if err := check(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, err
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s is damaged", path)
	}
	if s.Version != formatVersion {
		return nil, fmt.Errorf("%s is of version %d, not %d", path, s.Version, formatVersion)
	}
	return slices.DeleteFunc(s.Repairs, func(r stored) bool { return !r.valid() }), nil
}

// save writes the file as a whole or not at all.
func save(path string, repairs []stored) (err error) {
	data, err := json.Marshal(state{formatVersion, repairs})
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := check(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, unfinished(path)+"*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, werr := f.Write(data)
	if err := errors.Join(werr, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// unfinished is how the name begins of a file that is going to be the one at path.
func unfinished(path string) string { return "." + filepath.Base(path) + ".new-" }

// clean removes what a program that was killed while it wrote has left. What is
// young may be another one's that writes.
func clean(path string, now time.Time) {
	dir := filepath.Dir(path)
	entries, _ := os.ReadDir(dir) // what cannot be listed has nothing to clean
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), unfinished(path)) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(dir, e.Name())) // the next start tries again
		}
	}
}

// file writes the state behind the requests' back.
type file struct {
	path   string
	merged func(on []stored) []stored
	warn   func(string)
	dirty  chan struct{} // holds one wish to write
	stop   chan struct{}
	done   chan struct{}
	ending sync.Once
	warned bool
}

func newFile(path string, merged func(on []stored) []stored, warn func(string)) *file {
	f := &file{
		path: path, merged: merged, warn: warn,
		dirty: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go f.run()
	return f
}

func (f *file) run() {
	defer close(f.done)
	for {
		select {
		case <-f.dirty:
			f.save()
		case <-f.stop:
			select {
			case <-f.dirty:
				f.save()
			default:
			}
			return
		}
	}
}

// save writes the file. If it cannot be written the substitutions hold until the
// program ends, and the next change tries again.
func (f *file) save() {
	on, _ := load(f.path) // a damaged file is replaced
	if err := save(f.path, f.merged(on)); err != nil && !f.warned {
		f.warned = true
		f.warn("state file cannot be written, substitutions are remembered until the program ends: " + err.Error())
	}
}

// changed asks for the file to be written. A nil file has nothing to write.
func (f *file) changed() {
	if f == nil {
		return
	}
	select {
	case f.dirty <- struct{}{}:
	default: // one wish is enough
	}
}

func (f *file) close() {
	if f == nil {
		return
	}
	f.ending.Do(func() { close(f.stop) })
	<-f.done
}
