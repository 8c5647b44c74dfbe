package eventlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDefaultPath(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, goos, env string
		want            string // "" for an error
	}{
		{"linux state", "linux", "XDG_STATE_HOME=/s HOME=/h", "/s/imagebreaker/events.jsonl"},
		{"linux state with a slash", "linux", "XDG_STATE_HOME=/s/", "/s/imagebreaker/events.jsonl"},
		{"linux home", "linux", "HOME=/h", "/h/.local/state/imagebreaker/events.jsonl"},
		{"linux, empty state", "linux", "XDG_STATE_HOME= HOME=/h", "/h/.local/state/imagebreaker/events.jsonl"},
		{"linux, relative state", "linux", "XDG_STATE_HOME=s HOME=/h", "/h/.local/state/imagebreaker/events.jsonl"},
		{"linux nothing", "linux", "LocalAppData=/l", ""},
		{"freebsd home", "freebsd", "HOME=/h", "/h/.local/state/imagebreaker/events.jsonl"},
		{"darwin home", "darwin", "HOME=/Users/h", "/Users/h/Library/Logs/imagebreaker/events.jsonl"},
		{"darwin state", "darwin", "XDG_STATE_HOME=/s HOME=/Users/h", "/s/imagebreaker/events.jsonl"},
		{"darwin nothing", "darwin", "", ""},
		{"windows", "windows", `LocalAppData=C:\l HOME=/h XDG_STATE_HOME=/s`, `C:\l\imagebreaker\events.jsonl`},
		{"windows with a backslash", "windows", `LocalAppData=C:\l\`, `C:\l\imagebreaker\events.jsonl`},
		{"windows nothing", "windows", "HOME=/h", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := make(map[string]string)
			for _, pair := range strings.Fields(tt.env) {
				key, value, _ := strings.Cut(pair, "=")
				env[key] = value
			}
			got, err := DefaultPath(func(key string) string { return env[key] }, tt.goos)
			if got != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	regular := filepath.Join(dir, "regular")
	if err := os.WriteFile(regular, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, want string }{
		{"nothing", "", "path is empty"},
		{"a folder", dir, "this is a folder; give the path of a file, " + filepath.Join(dir, "events.jsonl")},
		{"a folder to be", filepath.Join(dir, "new") + string(filepath.Separator), "this is a folder"},
		{"the root", string(filepath.Separator), "this is a folder"},
		{"the current folder", ".", "this is a folder"},
		{"in a file", filepath.Join(regular, "events.jsonl"), regular + " is a file, not a folder"},
		{"deep in a file", filepath.Join(regular, "a", "b", "events.jsonl"), regular + " is a file, not a folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, err := Open(Config{Path: tt.path})
			if err == nil {
				l.Close()
				t.Fatal("no error")
			}
			if text := err.Error(); !strings.Contains(text, tt.want) || strings.Contains(text, "\n") || !strings.Contains(text, tt.path) {
				t.Errorf("error %q, want one line with the path and %q", text, tt.want)
			}
		})
	}
}

func TestOpenTakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{
		filepath.Join(dir, "events.jsonl"),
		filepath.Join(dir, "a", "b", "c", "events.jsonl"),
		filepath.Join(dir, "no extension"),
		filepath.Join(dir, ".hidden", "..", "up.jsonl"),
	} {
		l, err := Open(Config{Path: path})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		l.Write(*named("1"))
		if err := l.Close(); err != nil || l.Dropped() != 0 {
			t.Errorf("%s: close: %v, %d dropped", path, err, l.Dropped())
		}
		if ids := readIDs(t, path); len(ids) != 1 {
			t.Errorf("%s: ids %v", path, ids)
		}
	}
}
