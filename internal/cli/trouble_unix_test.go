//go:build unix

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/fakeapi"
)

// decoding is an upstream that refuses whatever has an image in it.
func decoding(t *testing.T) *fakeapi.Server {
	t.Helper()
	api, err := fakeapi.Start(func(q fakeapi.Request) fakeapi.Answer {
		if bytes.Contains(q.Body, []byte(`"image"`)) {
			return fakeapi.BadImage(fakeapi.Anthropic)
		}
		return fakeapi.Success(fakeapi.Anthropic, false, "all good")
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	return api
}

// story is a session with a bad image: it must go as always, whatever is wrong
// with the files.
func story(t *testing.T, url, session string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	turn := `{"role":"user","content":[{"type":"text","text":"` + session + `"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"bm90IGEgcGljdHVyZQ=="}}]}`
	later := turn + `,{"role":"assistant","content":"noted"},{"role":"user","content":"go on"}`
	for i, c := range []struct{ messages, want string }{
		{turn, "400 "}, {turn, "200 short-circuited"}, {later, "200 repaired"}, {turn + `,{"role":"user","content":"more"}`, "200 repaired"},
	} {
		r, err := http.NewRequest(http.MethodPost, url+"/v1/messages", strings.NewReader(`{"model":"m","messages":[`+c.messages+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Session-Id", session)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		action, _, _ := strings.Cut(resp.Header.Get("X-Imagebreaker"), ";")
		if got := fmt.Sprint(resp.StatusCode, " ", action); got != c.want {
			t.Errorf("%s, request %d: %s, want %s", session, i, got, c.want)
		}
	}
}

// Whatever becomes of the log and the state, the traffic flows, and each trouble
// is told once.
func TestTroubleWithFiles(t *testing.T) {
	t.Parallel()
	const log, state = "log/events.jsonl", "state/repairs.json"
	cases := []struct {
		name   string
		before func(dir string) error // the start
		during func(dir string) error // after the first session
		warns  []string               // a word of each line on standard error
		quiet  bool                   // there may be none: it depends on what was being written just then
		logged int                    // sessions that are in the log at the end
	}{
		{name: "none", logged: 2},
		{name: "log folder removed", during: func(d string) error { return os.Rename(d+"/log", d+"/gone") }, logged: 1},
		{name: "log folder is a file", during: func(d string) error {
			return errors.Join(os.Rename(d+"/log", d+"/gone"), os.WriteFile(d+"/log", nil, 0o600))
		}, warns: []string{"event log"}},
		{name: "log is a folder", during: func(d string) error {
			return errors.Join(os.Remove(d+"/"+log), os.Mkdir(d+"/"+log, 0o700))
		}, warns: []string{"event log"}},
		{name: "log is a link", during: func(d string) error {
			return errors.Join(os.Remove(d+"/"+log), os.Symlink(d+"/target", d+"/"+log))
		}, warns: []string{"symbolic link"}},
		{name: "log is a link from the start", before: func(d string) error {
			return errors.Join(os.Mkdir(d+"/log", 0o700), os.Symlink(d+"/target", d+"/"+log))
		}, warns: []string{"symbolic link"}},
		{name: "log is a pipe", during: func(d string) error {
			return errors.Join(os.Remove(d+"/"+log), syscall.Mkfifo(d+"/"+log, 0o600))
		}, warns: []string{"event log"}},
		{name: "state is no JSON", before: func(d string) error {
			return errors.Join(os.Mkdir(d+"/state", 0o700), os.WriteFile(d+"/"+state, []byte("{"), 0o600))
		}, warns: []string{"state file"}, logged: 2},
		{name: "state breaks", during: func(d string) error { return os.WriteFile(d+"/"+state, []byte("{"), 0o600) }, logged: 2},
		{name: "state folder removed", during: func(d string) error { return os.Rename(d+"/state", d+"/gone") }, warns: []string{"state file"}, quiet: true, logged: 2},
		{name: "state folder is a file", during: func(d string) error {
			return errors.Join(os.Rename(d+"/state", d+"/gone"), os.WriteFile(d+"/state", nil, 0o600))
		}, warns: []string{"state file"}, logged: 2},
		{name: "state is a folder", during: func(d string) error {
			return errors.Join(os.RemoveAll(d+"/"+state), os.Mkdir(d+"/"+state, 0o700))
		}, warns: []string{"state file"}, logged: 2},
		{name: "state is a pipe", before: func(d string) error {
			return errors.Join(os.Mkdir(d+"/state", 0o700), syscall.Mkfifo(d+"/"+state, 0o600))
		}, warns: []string{"state file"}, logged: 2},
		{name: "state is a link", before: func(d string) error {
			return errors.Join(os.Mkdir(d+"/state", 0o700), os.Symlink(d+"/target", d+"/"+state))
		}, warns: []string{"state file"}, logged: 2},
	}
	api := decoding(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if c.before != nil {
				if err := c.before(dir); err != nil {
					t.Fatal(err)
				}
			}
			p := startWith(t, api.URL, filepath.Join(dir, log), filepath.Join(dir, state))
			story(t, p.url, "ses_1")
			if c.during != nil {
				await(t, filepath.Join(dir, log), 4)
				await(t, filepath.Join(dir, state), 0)
				insist(t, func() error { return c.during(dir) })
			}
			story(t, p.url, "ses_2")
			if code, err := p.stop(); code != exitOK || err != nil {
				t.Errorf("exit %d, %v", code, err)
			}
			if p.stderr.Len() > 0 || !c.quiet {
				wantLines(t, p.stderr.String(), c.warns)
			}
			if _, err := os.Stat(dir + "/target"); err == nil {
				t.Error("a link was followed")
			}
			if n := sessionsIn(dir + "/" + log); n != c.logged {
				t.Errorf("%d sessions in the log, want %d", n, c.logged)
			}
		})
	}
}

func startWith(t *testing.T, upstream, log, state string) *program {
	t.Helper()
	env := []string{quickExit, "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	p, err := startProgram(t.TempDir(), env, "--listen", "127.0.0.1:0", "--upstream", upstream, "--events", log, "--state", state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// await waits until a file is there and names the first session so often: files
// are written behind the requests' back. One that is no regular file is not
// waited for.
func await(t *testing.T, path string, times int) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return
		}
		if b, err := os.ReadFile(path); err == nil && bytes.Count(b, []byte("ses_1")) >= times {
			return
		}
	}
	t.Fatalf("%s was not written", path)
}

// insist does what the program can be faster than: it may be writing the file
// that is being replaced.
func insist(t *testing.T, f func() error) {
	t.Helper()
	err := f()
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); {
		err = f()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func wantLines(t *testing.T, text string, words []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		lines = nil
	}
	if len(lines) != len(words) {
		t.Fatalf("%d lines, want %d: %q", len(lines), len(words), text)
	}
	for i, w := range words {
		if !strings.HasPrefix(lines[i], "imagebreaker: ") || !strings.Contains(lines[i], w) {
			t.Errorf("line %q, want %q in it", lines[i], w)
		}
	}
}

// sessionsIn counts the sessions in a log, 0 if it is none.
func sessionsIn(path string) int {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	seen := map[string]bool{}
	for e, err := range eventlog.Read(f) {
		if err == nil && e.SessionID != "" {
			seen[e.SessionID] = true
		}
	}
	return len(seen)
}

// A full disk, as far as a device can play one.
func TestFullLog(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no device that is full")
	}
	p := startWith(t, decoding(t).URL, "/dev/full", filepath.Join(t.TempDir(), "repairs.json"))
	story(t, p.url, "ses_1")
	story(t, p.url, "ses_2")
	if code, err := p.stop(); code != exitOK || err != nil {
		t.Errorf("exit %d, %v", code, err)
	}
	wantLines(t, p.stderr.String(), []string{"no space left on device"})
}

// Several proxies share a log and a state: no line is torn, none is lost, and no
// file is left half written.
func TestProgramsShareFiles(t *testing.T) {
	t.Parallel()
	const each = 20
	dir := t.TempDir()
	log, state := filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "repairs.json")
	api := decoding(t)
	var wg sync.WaitGroup
	for n := range 3 {
		p := startWith(t, api.URL, log, state)
		wg.Go(func() {
			for i := range each {
				story(t, p.url, fmt.Sprintf("ses_%d_%d", n, i))
			}
			if code, err := p.stop(); code != exitOK || err != nil || p.stderr.Len() > 0 {
				t.Errorf("exit %d, %v, stderr %q", code, err, p.stderr.String())
			}
		})
	}
	wg.Wait()
	if n := sessionsIn(log); n != 3*each {
		t.Errorf("%d sessions in the log, want %d", n, 3*each)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range eventlog.Read(bytes.NewReader(text)) {
		if err != nil {
			t.Errorf("%+v: %v", e, err)
		}
	}
	for path, want := range map[string]os.FileMode{log: 0o600, state: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}
