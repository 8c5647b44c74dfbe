package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rotatedLayout is the time, in UTC, in the name of a rotated file:
// events-2026-03-04T12-00-00.005.jsonl beside events.jsonl.
const rotatedLayout = "2006-01-02T15-04-05.000"

const compressed = ".gz" // at the end of a rotated file's name, if somebody compressed it

// part is one file of a log, open for reading.
type part struct {
	*os.File
	info    fs.FileInfo
	gzip    bool
	rotated bool  // nothing more is written to it
	offset  int64 // how much of it has been read
}

// chain is a log as it lies on disk: rotated files and the one that is written
// to. It remembers how far along it somebody is.
type chain struct {
	path string
	last time.Time   // when the latest of the rotated files was rotated that have been opened
	done fs.FileInfo // of the file itself, read to its end before open is called again
}

// open opens what comes after the files that it has opened before: rotated
// files, oldest first, then the file itself. There may be none.
//
// Every file is opened before the first is read, so that none is lost to a
// rotation that removes the oldest.
func (c *chain) open() ([]*part, error) {
	// The file itself first: should it be rotated before the folder is read, it
	// shows there, and what is newer is left for the next time.
	now, err := openPart(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	parts, err := c.openRotated(now)
	if now != nil {
		parts = append(parts, now)
	}
	if err != nil {
		closeAll(parts)
		return nil, err
	}
	return parts, nil
}

// openRotated opens the rotated files that come before now.
func (c *chain) openRotated(now *part) (parts []*part, err error) {
	for _, r := range c.rotated() {
		p, err := r.open()
		switch {
		case err != nil:
			return parts, err
		case p == nil:
			continue
		case now != nil && os.SameFile(p.info, now.info):
			p.Close()
			return parts, nil
		}
		c.last = r.at
		if c.readBefore(p) {
			p.Close()
			continue
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// readBefore tells whether the rotated file is the one that has been read when
// it was still the log itself. A compressed one cannot be compared; but the
// first that was rotated since then can hardly be another.
func (c *chain) readBefore(p *part) bool {
	was := c.done
	c.done = nil
	return was != nil && (p.gzip || os.SameFile(p.info, was))
}

// rotatedFile is one that was rotated at a time. It has either name, or both
// while it is being compressed.
type rotatedFile struct {
	at   time.Time
	name string
}

// rotated lists the rotated files later than the last one opened, oldest first.
func (c *chain) rotated() []rotatedFile {
	entries, err := os.ReadDir(filepath.Dir(c.path))
	if err != nil {
		return nil // there is no such folder, or its names are not ours to know
	}
	base := filepath.Base(c.path)
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext) + "-"
	var found []rotatedFile
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), compressed)
		stamp, ok := strings.CutPrefix(strings.TrimSuffix(name, ext), stem)
		at, err := time.Parse(rotatedLayout, stamp)
		if ok && err == nil && name == stem+stamp+ext && at.After(c.last) && !e.IsDir() {
			found = append(found, rotatedFile{at, filepath.Join(filepath.Dir(c.path), name)})
		}
	}
	return slices.Compact(found) // already in order, as the names are
}

// open opens the file under the name that it has now; nil if it is gone. The
// plain one is whole, while the other may still be being written.
func (r rotatedFile) open() (*part, error) {
	for _, name := range []string{r.name, r.name + compressed} {
		p, err := openPart(name)
		if err == nil {
			p.rotated = true
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, nil
}

// openPart opens a regular file. Anything else could keep us waiting.
func openPart(path string) (*part, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: this is no regular file, and keeps no events", path)
	}
	h, err := openShared(path)
	if err != nil {
		return nil, err
	}
	if info, err = h.Stat(); err != nil {
		h.Close()
		return nil, err
	}
	return &part{File: h, info: info, gzip: strings.HasSuffix(path, compressed)}, nil
}

func closeAll(parts []*part) {
	for _, p := range parts {
		p.Close()
	}
}
