package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// DefaultPath returns the default path of the log, by the conventions of the operating
// system goos. It returns an error if the environment does not have the variables for
// it. A relative XDG_STATE_HOME is ignored, as its standard requires.
func DefaultPath(getenv func(string) string, goos string) (string, error) {
	const name = "imagebreaker/events.jsonl"
	if goos == "windows" {
		local := getenv("LocalAppData")
		if local == "" {
			return "", errors.New("no place for the event log: LocalAppData is not set; give a path")
		}
		return strings.TrimRight(local, `\/`) + `\` + strings.ReplaceAll(name, "/", `\`), nil
	}
	if state := getenv("XDG_STATE_HOME"); path.IsAbs(state) {
		return path.Join(state, name), nil
	}
	home := getenv("HOME")
	if home == "" {
		return "", errors.New("no place for the event log: neither XDG_STATE_HOME nor HOME is set; give a path")
	}
	if goos == "darwin" {
		return path.Join(home, "Library/Logs", name), nil
	}
	return path.Join(home, ".local/state", name), nil
}

// checkPath finds the mistakes that are permanent.
func checkPath(path string) error {
	if path == "" {
		return errors.New("event log: the path is empty; give the path of a file")
	}
	info, err := os.Stat(path)
	if os.IsPathSeparator(path[len(path)-1]) || err == nil && info.IsDir() {
		return fmt.Errorf("event log %s: this is a folder; give the path of a file, %s for example",
			path, filepath.Join(path, "events.jsonl"))
	}
	if ancestor := regularAncestor(path); ancestor != "" {
		return fmt.Errorf("event log %s: %s is a file, not a folder; give a path in a folder", path, ancestor)
	}
	return nil
}

// regularAncestor returns the regular file that path uses as a directory, or "".
func regularAncestor(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.Mode().IsRegular():
			return dir
		case err == nil, dir == filepath.Dir(dir), errors.Is(err, fs.ErrPermission):
			return ""
		}
	}
}
