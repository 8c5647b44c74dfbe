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

// gzipSuffix ends the name of a rotated file that was compressed, by whomever: the log
// itself compresses none.
const gzipSuffix = ".gz"

// part is one file of a log, open for reading.
type part struct {
	*os.File
	info    fs.FileInfo
	gzip    bool
	rotated bool  // nothing more is written to it
	offset  int64 // how much of it was read, in bytes
}

// chain is the sequence of a log's files, and a reader's position in it.
type chain struct {
	path string
	last time.Time   // when the newest of the rotated files opened so far was rotated
	done fs.FileInfo // of the file at path, if it was read to its end and then replaced
}

// open opens the files after those that it has opened before: rotated files, oldest
// first, then the file at path. There may be none.
//
// All are opened before the first is read, so that none is lost to a rotation that
// removes the oldest.
func (c *chain) open() ([]*part, error) {
	// The file at path comes first: if it is rotated before the directory is read, it
	// is found there, and newer ones are left for the next call.
	current, err := openPart(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	parts, err := c.openRotated(current)
	if current != nil {
		parts = append(parts, current)
	}
	if err != nil {
		closeAll(parts)
		return nil, err
	}
	return parts, nil
}

// openRotated opens the rotated files up to current, which may be among them.
func (c *chain) openRotated(current *part) (parts []*part, err error) {
	for _, r := range c.rotated() {
		p, err := r.open()
		switch {
		case err != nil:
			return parts, err
		case p == nil:
			continue
		case current != nil && os.SameFile(p.info, current.info):
			p.Close()
			return parts, nil
		}
		c.last = r.at
		if c.wasRead(p) {
			p.Close()
			continue
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// wasRead reports whether a rotated file, the first since then, is the one that was
// read at path. A compressed one has another identity, but can hardly be another file.
func (c *chain) wasRead(p *part) bool {
	done := c.done
	c.done = nil
	return done != nil && (p.gzip || os.SameFile(p.info, done))
}

// rotatedFile has the name, or that with gzipSuffix, or both while it is being
// compressed.
type rotatedFile struct {
	at   time.Time
	name string
}

// rotated lists the rotated files later than the last one opened, oldest first.
func (c *chain) rotated() []rotatedFile {
	entries, err := os.ReadDir(filepath.Dir(c.path))
	if err != nil {
		return nil // no such directory, or no permission to list it
	}
	base := filepath.Base(c.path)
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext) + "-"
	var found []rotatedFile
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), gzipSuffix)
		stamp, ok := strings.CutPrefix(strings.TrimSuffix(name, ext), stem)
		at, err := time.Parse(rotatedLayout, stamp)
		if ok && err == nil && name == stem+stamp+ext && at.After(c.last) && !e.IsDir() {
			found = append(found, rotatedFile{at, filepath.Join(filepath.Dir(c.path), name)})
		}
	}
	return slices.Compact(found) // sorted, because the names are
}

// open returns nil if the file was removed. The compressed one comes second, because
// it may be incomplete while there are both.
func (r rotatedFile) open() (*part, error) {
	p, err := openPart(r.name)
	if errors.Is(err, fs.ErrNotExist) {
		p, err = openPart(r.name + gzipSuffix)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	p.rotated = true
	return p, nil
}

// openPart opens a regular file. Opening anything else could block.
func openPart(path string) (*part, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: this is no regular file", path)
	}
	h, err := openShared(path)
	if err != nil {
		return nil, err
	}
	if info, err = h.Stat(); err != nil {
		h.Close()
		return nil, err
	}
	return &part{File: h, info: info, gzip: strings.HasSuffix(path, gzipSuffix)}, nil
}

func closeAll(parts []*part) {
	for _, p := range parts {
		p.Close()
	}
}
