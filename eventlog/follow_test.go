package eventlog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script is what happens to a followed log, one step between two polls.
type script []func()

// more runs the next step.
func (s *script) more() bool {
	if len(*s) == 0 {
		return false
	}
	(*s)[0]()
	*s = (*s)[1:]
	return true
}

func TestFollow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		steps func(f logDir) script
		want  string
	}{
		{"new lines", func(f logDir) script {
			return script{func() { f.add("events.jsonl", of("b", "c")) }, func() {}, func() { f.add("events.jsonl", of("d")) }}
		}, "a b c d"},
		{"a line in pieces", func(f logDir) script {
			line := of("b")
			return script{func() { f.add("events.jsonl", line[:10]) }, func() {}, func() { f.add("events.jsonl", line[10:len(line)-1]) },
				func() { f.add("events.jsonl", "\n"+of("c")[:5]) }}
		}, "a b"},
		{"a rotation", func(f logDir) script {
			return script{func() { f.add("events.jsonl", of("b")); f.rotate(1); f.add("events.jsonl", of("c")) }, func() { f.add("events.jsonl", of("d")) }}
		}, "a b c d"},
		{"an incomplete rotation", func(f logDir) script {
			return script{func() { f.rename("events.jsonl", rotatedName(1)) }, func() { f.add("events.jsonl", of("b")) }}
		}, "a b"},
		{"a rotation amid a line", func(f logDir) script {
			return script{func() { f.add("events.jsonl", of("b")[:9]); f.rotate(1); f.add("events.jsonl", of("c")) }}
		}, "a damaged c"},
		{"several rotations at once", func(f logDir) script {
			return script{func() {
				for i, id := range []string{"b", "c", "d"} {
					f.rotate(i + 1)
					f.add("events.jsonl", of(id))
				}
			}, func() { f.rotate(9) }, func() { f.add("events.jsonl", of("e")) }}
		}, "a b c d e"},
		{"a rotation each time", func(f logDir) script {
			return script{func() { f.rotate(1); f.add("events.jsonl", of("b")) }, func() { f.rotate(2); f.add("events.jsonl", of("c")) },
				func() { f.rotate(3); f.add("events.jsonl", of("d")) }}
		}, "a b c d"},
		{"rotated, and the oldest removed", func(f logDir) script {
			return script{func() {
				f.rotate(1)
				f.add("events.jsonl", of("b"))
				f.rotate(2)
				f.remove(rotatedName(1))
				f.add("events.jsonl", of("c"))
			}}
		}, "a b c"},
		{"rotated and compressed", func(f logDir) script {
			return script{func() {
				f.add("events.jsonl", of("b"))
				f.rotate(1)
				f.compress(rotatedName(1))
				f.add("events.jsonl", of("c"))
			},
				func() {
					f.rotate(2)
					f.add("events.jsonl", of("d"))
					f.rotate(3)
					f.compress(rotatedName(2))
					f.compress(rotatedName(3))
				}}
		}, "a b c d"},
		{"rotated to another kind of name", func(f logDir) script {
			return script{func() { f.rename("events.jsonl", "events.jsonl.1"); f.add("events.jsonl", of("b")) }}
		}, "a b"},
		{"removed and created anew", func(f logDir) script {
			return script{func() { f.add("events.jsonl", of("b")); f.remove("events.jsonl") }, func() {}, func() { f.add("events.jsonl", of("c")) },
				func() { f.rotate(1); f.add("events.jsonl", of("d")) }}
		}, "a b c d"},
		{"removed, created anew and rotated", func(f logDir) script {
			return script{func() { f.remove("events.jsonl"); f.add("events.jsonl", of("b")); f.rotate(1) }}
		}, "a b"},
		{"truncated", func(f logDir) script {
			return script{func() { f.must(os.Truncate(f.log(), 0)) }, func() { f.add("events.jsonl", of("b")) }, func() {
				f.must(os.Truncate(f.log(), 0))
				f.add("events.jsonl", "\n\n"+strings.TrimSpace(of("c"))[:50]) // shorter than before
			}, func() { f.add("events.jsonl", "\n") }}
		}, "a b damaged"},
		{"old files stay read", func(f logDir) script {
			f.add(rotatedName(1), of("x")+"{")
			f.add(rotatedName(2)+".gz", zipped(of("y")))
			return script{func() { f.rotate(3); f.add("events.jsonl", of("b")) }, func() { f.remove(rotatedName(1)); f.rotate(4) }}
		}, "x damaged y a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newLogDir(t)
			f.add("events.jsonl", of("a"))
			steps := tt.steps(f)
			if got := summarize(f.log(), steps.more); !slices.Equal(got, strings.Fields(tt.want)) {
				t.Errorf("%q, want %s", got, tt.want)
			}
		})
	}
}

// A log that does not exist yet, nor its directory, is waited for.
func TestFollowBeforeCreation(t *testing.T) {
	t.Parallel()
	f := newLogDir(t)
	f.dir = filepath.Join(f.dir, "later")
	steps := script{func() {}, func() { f.must(os.Mkdir(f.dir, 0o700)) }, func() { f.add("events.jsonl", of("a")) }, func() { f.rotate(1) },
		func() { f.must(os.RemoveAll(f.dir)) }, func() { f.must(os.Mkdir(f.dir, 0o700)); f.add("events.jsonl", of("b")) }}
	if got := summarize(f.log(), steps.more); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q, want a b", got)
	}
}

// Nothing is lost while the log itself rotates.
func TestFollowRotation(t *testing.T) {
	t.Parallel()
	f := newLogDir(t)
	out, warnings := newTestFile(t, f.log())
	images := slices.Repeat([]string{"0123456789abcdef"}, maxImages)
	var want []string
	write := func() {
		for range 30 { // more than half of a file's maximum
			e := named(fmt.Sprint(len(want)))
			e.Images = images
			out.put(e)
			want = append(want, e.RequestID)
		}
	}
	steps := script{write, write, func() {}, write, write, write, write, write}
	got := summarize(f.log(), steps.more)
	if rotated := (&chain{path: f.log()}).rotated(); len(rotated) < 2 {
		t.Errorf("%d rotated files: this proves nothing", len(rotated))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d lines of %d", len(got), len(want))
	}
	wantWarnings(t, *warnings)
}

func TestFollowBreak(t *testing.T) {
	t.Parallel()
	f := newLogDir(t)
	f.add("events.jsonl", of("a"))
	steps := script{func() { f.add("events.jsonl", of("b")); f.rotate(1); f.add("events.jsonl", of("c")) }, func() { t.Error("asked for more") }}
	for line, err := range Lines(f.log(), steps.more) {
		f.must(err)
		if line.Event.RequestID == "b" {
			break
		}
	}
}

// FuzzLines checks that it does not matter when a follower polls. The lines need not
// be events for that.
func FuzzLines(f *testing.F) {
	f.Add("a\nb\n", uint8(1), uint8(2))
	f.Add("\n\x00\n \r\nab\nc", uint8(4), uint8(2))
	f.Fuzz(func(t *testing.T, text string, first, second uint8) {
		dir := newLogDir(t)
		i := min(int(first), len(text))
		j := min(i+int(second), len(text))
		steps := script{
			func() { dir.add("events.jsonl", text[:i]) },
			func() { dir.add("events.jsonl", text[i:j]) },
			func() { dir.add("events.jsonl", text[j:]) },
			func() { dir.rotate(1) },
		}
		followed := textsOf(t, dir.log(), steps.more)
		if whole := textsOf(t, dir.log(), nil); !slices.Equal(followed, whole) {
			t.Errorf("followed %q, whole %q", followed, whole)
		}
	})
}

func textsOf(t *testing.T, path string, more func() bool) []string {
	t.Helper()
	var out []string
	for line, err := range Lines(path, more) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line.Text))
	}
	return out
}
