package substitution

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func newClock() *clock { return &clock{t: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func item(n byte) [32]byte { return [32]byte{n} }

var why = Mark{Signature: "0123456789abcdef", Reason: "decode_failed"}

func found(m *Memory, session string, ns ...byte) string {
	var items [][32]byte
	for _, n := range ns {
		items = append(items, item(n))
	}
	out := ""
	got := m.Find(session, "scope", items)
	for _, n := range ns {
		if mark, ok := got[item(n)]; ok {
			out += fmt.Sprint(n)
			if mark != why {
				out += "!"
			}
		}
	}
	return out
}

func TestFind(t *testing.T) {
	t.Parallel()
	m := Open(Config{})
	defer m.Close()
	if !m.Empty() || found(m, "s", 1) != "" {
		t.Error("something is known")
	}
	m.Add("s", "scope", item(1), why)
	m.Add("s", "other scope", item(2), why)
	m.Add("s2", "scope", item(3), why)
	if got := found(m, "s", 3, 2, 1); got != "1" || m.Empty() {
		t.Errorf("found %q", got)
	}
	// Neither end runs into the other.
	m.Add("ab", "c", item(4), why)
	if len(m.Find("a", "bc", [][32]byte{item(4)})) != 0 {
		t.Error("session and scope are not apart")
	}
}

func TestUnusedForAWeek(t *testing.T) {
	t.Parallel()
	k := newClock()
	path := filepath.Join(t.TempDir(), "repairs.json")
	m := Open(Config{Path: path, Now: k.now})
	m.Add("s", "scope", item(1), why)
	m.Add("s", "scope", item(2), why)
	for range 7 {
		k.advance(24 * time.Hour)
		if found(m, "s", 1) != "1" {
			t.Fatal("a repair that is used was forgotten")
		}
	}
	if got := found(m, "s", 1, 2); got != "1" {
		t.Errorf("found %q after a week", got)
	}
	m.Close()
	k.advance(7*24*time.Hour - time.Minute)
	m = Open(Config{Path: path, Now: k.now})
	if found(m, "s", 1) != "1" {
		t.Error("lost over a restart")
	}
	m.Close()
	k.advance(7 * 24 * time.Hour)
	m = Open(Config{Path: path, Now: k.now})
	defer m.Close()
	if !m.Empty() {
		t.Error("an old repair was read back")
	}
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	m := Open(Config{Capacity: 2})
	for n := byte(1); n <= 3; n++ {
		m.Add("s", "scope", item(n), why)
	}
	if got := found(m, "s", 1, 2, 3); got != "23" {
		t.Errorf("found %q", got)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "repairs.json")
	m := Open(Config{Path: path})
	other := Mark{Signature: "fedcba9876543210", Reason: "decode_failed"}
	m.Add("s", "scope", item(1), why)
	m.Add("s", "scope", item(2), other)
	if n := m.Forget(func(s string) bool { return s == other.Signature }); n != 1 {
		t.Errorf("forgot %d", n)
	}
	m.Close()
	m = Open(Config{Path: path})
	defer m.Close()
	if l := m.List(); len(l) != 1 || l[0].Mark != why {
		t.Errorf("%v", l)
	}
}

func TestFileIsPrivateAndSaysNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "repairs.json")
	m := Open(Config{Path: path})
	m.Add("the-session", "the-scope", item(1), why)
	m.Close()
	m.Close() // twice is once
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		info, err := os.Stat(p)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", p, info.Mode(), err, want)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(b), "the-s") {
		t.Errorf("%v %s", err, b)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"empty": "", "text": "hello", "cut": `{"version":1,"repairs":[{"key":"a`, "other version": `{"version":99}`, "array": "[]",
	} {
		path := filepath.Join(t.TempDir(), "repairs.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var warned []string
		m := Open(Config{Path: path, Warn: func(s string) { warned = append(warned, s) }})
		if !m.Empty() || len(warned) != 1 || strings.Contains(warned[0], "\n") {
			t.Errorf("%s: empty %v, warned %q", name, m.Empty(), warned)
		}
		m.Add("s", "scope", item(1), why) // it works on, and mends the file
		m.Close()
		m = Open(Config{Path: path, Warn: func(s string) { t.Errorf("%s: %s", name, s) }})
		if found(m, "s", 1) != "1" {
			t.Errorf("%s: not mended", name)
		}
		m.Close()
	}
}

// What was not written by this program does not get into headers and pages.
func TestForeignRecordsAreLeftOut(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("0f", 32)
	for name, record := range map[string]string{
		"key":       `{"key":"../x","signature":"0123456789abcdef","reason":"x","used":"2026-01-02T03:04:05Z"}`,
		"long key":  `{"key":"` + strings.Repeat("0", 100) + `","reason":"x","used":"2026-01-02T03:04:05Z"}`,
		"signature": `{"key":"` + key + `","signature":"<script>","reason":"x","used":"2026-01-02T03:04:05Z"}`,
		"reason":    `{"key":"` + key + `","signature":"0123456789abcdef","reason":"a\r\nSet-Cookie: b","used":"2026-01-02T03:04:05Z"}`,
	} {
		path := filepath.Join(t.TempDir(), "repairs.json")
		if err := os.WriteFile(path, []byte(`{"version":1,"repairs":[`+record+`,{"key":"`+key+`","reason":"fine","used":"2026-01-02T03:04:05Z"}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		m := Open(Config{Path: path, Now: newClock().now})
		if l := m.List(); len(l) != 1 || l[0].Reason != "fine" {
			t.Errorf("%s: %v", name, l)
		}
		m.Close()
	}
}

// A repair that was made while the clock was wrong is forgotten like any other.
func TestClockThatWentBack(t *testing.T) {
	t.Parallel()
	k := newClock()
	path := filepath.Join(t.TempDir(), "repairs.json")
	k.advance(365 * 24 * time.Hour)
	m := Open(Config{Path: path, Now: k.now})
	m.Add("s", "scope", item(1), why)
	k.advance(-365 * 24 * time.Hour)
	if found(m, "s", 1) != "1" {
		t.Error("forgotten when the clock went back")
	}
	m.Close()
	m = Open(Config{Path: path, Now: k.now})
	defer m.Close()
	if found(m, "s", 1) != "1" {
		t.Error("lost over a restart")
	}
	k.advance(unusedFor)
	if found(m, "s", 1) != "" {
		t.Error("kept for longer than a week")
	}
}

func TestUnwritableFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	warned := 0
	m := Open(Config{Path: filepath.Join(file, "repairs.json"), Warn: func(string) { mu.Lock(); warned++; mu.Unlock() }})
	m.Add("s", "scope", item(1), why)
	m.Add("s", "scope", item(2), why)
	if got := found(m, "s", 1, 2); got != "12" {
		t.Errorf("found %q", got)
	}
	m.Close()
	mu.Lock()
	defer mu.Unlock()
	if warned == 0 || warned > 2 { // reading and writing
		t.Errorf("warned %d times", warned)
	}
}

func TestParallelUse(t *testing.T) {
	t.Parallel()
	m := Open(Config{Path: filepath.Join(t.TempDir(), "repairs.json")})
	var wg sync.WaitGroup
	for n := range byte(8) {
		wg.Go(func() {
			for i := range byte(50) {
				m.Add("s", "scope", item(n*50+i), why)
				found(m, "s", i)
				m.List()
			}
		})
	}
	wg.Wait()
	m.Close()
}

// Two agents side by side share the file.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "repairs.json")
	a, b := Open(Config{Path: path}), Open(Config{Path: path})
	a.Add("a", "scope", item(1), why)
	a.Add("a", "scope", item(2), Mark{Signature: "ffffffffffffffff", Reason: "x"})
	a.Close()
	b.Add("b", "scope", item(1), why)
	b.Close()
	c := Open(Config{Path: path})
	if found(c, "a", 1) != "1" || found(c, "b", 1) != "1" {
		t.Error("one has overwritten the other's repairs")
	}
	c.Forget(func(s string) bool { return s == "ffffffffffffffff" })
	c.Close()
	d := Open(Config{Path: path})
	defer d.Close()
	if found(d, "a", 1, 2) != "1" {
		t.Error("what was forgotten came back")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"version":1,"repairs":[{"key":"00","signature":"0123456789abcdef","reason":"x","used":"2026-01-02T03:04:05Z"}]}`))
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "repairs.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		m := Open(Config{Path: path, Capacity: 8})
		m.Add("s", "scope", item(1), why)
		m.Close()
		if got := Open(Config{Path: path, Capacity: 8}); found(got, "s", 1) != "1" {
			t.Fatal("what was added is not read back")
		} else {
			got.Close()
		}
	})
}

// What a killed program left half written goes at the next start; what another
// one may be writing stays, and so does what is none of ours.
func TestLeftoversAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	now := time.Now()
	for name, age := range map[string]time.Duration{".state.json.new-1": 2 * time.Hour, ".state.json.new-2": time.Minute, ".other.json.new-3": 2 * time.Hour, "state.json.new-4": 2 * time.Hour} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(at, nil, 0o600), os.Chtimes(at, now.Add(-age), now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	Open(Config{Path: path}).Close()
	var left []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{".other.json.new-3", ".state.json.new-2", "state.json.new-4"}; !slices.Equal(left, want) {
		t.Errorf("%v are left, want %v", left, want)
	}
}
