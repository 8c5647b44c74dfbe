package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imagebreaker/imagehash"
)

func TestInspectOfSamples(t *testing.T) {
	t.Parallel()
	pattern, err := testdata("images", "*")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < 20 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	got := call("", append([]string{"inspect", "--json"}, files...)...)
	lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	if got.code != exitFailed || got.stderr != "" || len(lines) != len(files) {
		t.Fatalf("exit %d, stderr %q, %d lines for %d files", got.code, got.stderr, len(lines), len(files))
	}
	for i, line := range lines {
		data, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		var o inspected
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		look := imagehash.Inspect(data)
		want := inspected{files[i], imagehash.Of(data).String(), len(data), look.Format, look.Width, look.Height, look.State, look.Detail, ""}
		if o != want {
			t.Errorf("%+v, want %+v", o, want)
		}
	}
}

// TestInspectOfOddNames: a name may hold anything but must not move the cursor.
func TestInspectOfOddNames(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a\tb\x1b[2J\n.png")
	if err := os.WriteFile(path, []byte("no image"), 0o600); err != nil {
		t.Skip(err) // not every file system takes such names
	}
	for _, args := range [][]string{{"inspect", path}, {"inspect", "--json", path}} {
		got := call("", args...)
		if got.code != exitFailed || !isOneLine(got.stdout) || strings.ContainsAny(got.stdout, "\t\x1b") || !strings.Contains(got.stdout, `a\tb`) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, got.code, got.stdout, got.stderr)
		}
	}
	if got := call("", "inspect", path+"x"); got.code != exitFailed || !isOneLine(got.stderr) || strings.ContainsAny(got.stderr, "\t\x1b") {
		t.Errorf("exit %d, stderr %q", got.code, got.stderr)
	}
}

// TestInspectKeepsNames: a script must find its file under the name it gave.
func TestInspectKeepsNames(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "<a> & 'b' ü.png")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Skip(err)
	}
	got := call("", "inspect", "--json", path)
	if want := `{"file":"` + path + `","sum":`; !strings.HasPrefix(got.stdout, want) {
		t.Errorf("stdout %q does not begin with %q", got.stdout, want)
	}
}

func TestLabelOf(t *testing.T) {
	t.Parallel()
	tests := map[string]imagehash.Format{
		"a.png": imagehash.PNG, "a.PNG": imagehash.PNG, "a.apng": imagehash.PNG,
		"a.jpg": imagehash.JPEG, "a.jpeg": imagehash.JPEG, "a.jpe": imagehash.JPEG, "a.jfif": imagehash.JPEG,
		"a.gif": imagehash.GIF, "a.webp": imagehash.WebP, "a.avif": imagehash.AVIF,
		"a.heic": imagehash.HEIC, "a.heif": imagehash.HEIC, "a.bmp": imagehash.BMP, "a.dib": imagehash.BMP,
		"a.ico": imagehash.ICO, "a.cur": imagehash.ICO, "a.tif": imagehash.TIFF, "a.tiff": imagehash.TIFF,
		"a.svg": imagehash.SVG, "a.pdf": imagehash.PDF, "dir.png/a.gif": imagehash.GIF,
	}
	for name, format := range tests {
		// the label must be one that package imagehash takes for the format
		label := labelOf(name)
		if look := (imagehash.Inspection{Format: format}); label == "" || look.Differs(label) {
			t.Errorf("labelOf(%q) = %q, which is none of %s", name, label, format)
		}
	}
	for name, want := range map[string]string{
		"": "", "-": "", "png": "", "a.": "", "a.png.bak": "", "dir.png/a": "",
		"a.html": "text/html", "a.HTM": "text/html", "a.json": "application/json", "a.txt": "text/plain",
	} {
		if got := labelOf(name); got != want {
			t.Errorf("labelOf(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzInspect(f *testing.F) {
	pattern, err := testdata("images", "*")
	if err != nil {
		f.Fatal(err)
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, data string) {
		got := call(data, "inspect", "--json", "-")
		var o inspected
		if err := json.Unmarshal([]byte(got.stdout), &o); err != nil || !isOneLine(got.stdout) || got.stderr != "" {
			t.Fatalf("stdout %q, stderr %q, %v", got.stdout, got.stderr, err)
		}
		if (got.code == exitOK) != (o.State == imagehash.OK) || o.Bytes != len(data) || len(o.Sum) != 64 {
			t.Errorf("exit %d for %s", got.code, got.stdout)
		}
		if line := call(data, "inspect", "-"); line.code != got.code || !isOneLine(line.stdout) || !strings.Contains(line.stdout, o.Sum[:12]) {
			t.Errorf("exit %d, %q; with --json %d, %q", line.code, line.stdout, got.code, got.stdout)
		}
	})
}
