package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                  "",
		"a.png":             "a.png",
		"Ünïcode 画像.png":    "Ünïcode 画像.png",
		"two words":         "two words",
		"a\tb":              `"a\tb"`,
		"a\nb":              `"a\nb"`,
		"\x1b[31mred":       `"\x1b[31mred"`,
		"gnp.\u202eexe.png": `"gnp.\u202eexe.png"`,
		"\xff":              `"\xff"`,
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a.png")
	f.Add("\x1b[2J\u202e\xff\n")
	f.Fuzz(func(t *testing.T, name string) {
		if got := printable(name); strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("printable(%q) = %q", name, got)
		}
	})
}

// full is a disk on which nothing has room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestFullDisk: a script that collects results must hear that it has none.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	image, err := testdata("images", "basn2c16.png")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"inspect " + image, "inspect --json " + image, "explain -", "explain --json -", "version", "man", "completion bash", "completion zsh"} {
		var errs bytes.Buffer
		code := Run(t.Context(), Env{Args: strings.Fields(line), Stdin: strings.NewReader("{}"), Stdout: full{}, Stderr: &errs})
		if code != exitFailed || !isOneLine(errs.String()) || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: exit %d, stderr %q", line, code, errs.String())
		}
	}
}
