package protocol

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"imagebreaker/internal/stream"
	"imagebreaker/sse"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestConformance goes through the registry: every API must have golden cases
// for each thing that an API does. A new one fails here until it has them.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, a := range All() {
		t.Run(a.Name(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("..", "..", "testdata", a.Name())
			scans, _ := filepath.Glob(filepath.Join(dir, "scan-*.txtar"))
			if len(scans) == 0 {
				t.Errorf("no scan-*.txtar in %s", dir)
			}
			streams := map[Stream]bool{}
			for _, f := range scans {
				streams[goldenScan(t, a, f)] = true
			}
			r := Reply{ID: "0123456789abcdef01234567", Model: "the-model", Text: "Two lines,\n\"quotes\" & <tags>; ünïcode.", Time: time.Unix(1700000000, 0)}
			golden(t, filepath.Join(dir, "turn.json"), a.Turn(r))
			if delete(streams, ""); len(streams) == 0 {
				t.Error("no scan case wants a stream")
			}
			for kind := range streams {
				r.Stream, r.Usage = kind, false
				golden(t, filepath.Join(dir, "turn."+extensions[kind]), a.TurnStream(r))
				r.Usage = true
				golden(t, filepath.Join(dir, "turn-usage."+extensions[kind]), a.TurnStream(r))
				streamEnds(t, a, r)
			}
			for _, status := range []int{400, 422, 502, 504} {
				golden(t, filepath.Join(dir, fmt.Sprintf("error-%d.json", status)), a.Error(Error{Status: status, Message: "What it says: \"x\"\n<y>", Code: "some_code"}))
			}
		})
	}
}

// extensions are the names of files that hold streams.
var extensions = map[Stream]string{eventStream: "sse", jsonArray: "array.json", jsonLines: "ndjson", amazonStream: "eventstream"}

// streamEnds wants a synthesized stream to end by its own API's rule, once and
// at its end.
func streamEnds(t *testing.T, a API, r Reply) {
	t.Helper()
	s := stream.NewScanner(string(r.Stream))
	if s == nil {
		return // one document, whose end is its end
	}
	var ends []int
	n := 0
	s.Feed(a.TurnStream(r), func(e sse.Event) {
		if a.Ends(e) {
			ends = append(ends, n)
		}
		n++
	})
	if len(ends) != 1 || ends[0] != n-1 {
		t.Errorf("%s: of %d events, %v end the stream", a.Name(), n, ends)
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}

// goldenScan reads a case: a request (request line, headers, empty line,
// body), and what a scan finds in it. It returns the stream that is wanted.
func goldenScan(t *testing.T, want API, file string) Stream {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, kind := scanText(t, want, ar.Files[0].Data)
	if *update {
		ar.Files = append(ar.Files[:1], txtar.File{Name: "found", Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(ar.Files) != 2 || got != string(ar.Files[1].Data) {
		t.Errorf("%s: found\n%s", file, got)
	}
	return kind
}

func scanText(t *testing.T, want API, request []byte) (string, Stream) {
	t.Helper()
	head, body, _ := bytes.Cut(request, []byte("\n\n"))
	tp := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(head, "\n\n"...))))
	line, _ := tp.ReadLine()
	h, err := tp.ReadMIMEHeader()
	if err != nil {
		t.Fatal(err)
	}
	method, uri, _ := strings.Cut(line, " ")
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	a, c, ok := All().Match(method, u, http.Header(h))
	if !ok || a != want {
		t.Fatalf("%s %s belongs to %v", method, uri, a)
	}
	r, err := Scan(a, c, http.Header(h), body, nil)
	if err != nil {
		return "error: " + err.Error() + "\n", ""
	}
	return describe(a, r, string(body)), r.Stream
}

// describe is a request as a text.
func describe(a API, r *Request, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kind=%d model=%q session=%q", r.Kind, r.Model, r.Session)
	for _, f := range []struct {
		name string
		set  bool
	}{{"stream", r.Stream == eventStream}, {"array", r.Stream == jsonArray}, {"lines", r.Stream == jsonLines}, {"frames", r.Stream == amazonStream}, {"usage", r.StreamUsage}, {"json", r.JSON}, {"tools", r.Tools}, {"selfrepair", r.SelfRepair}} {
		if f.set {
			b.WriteString(" " + f.name)
		}
	}
	b.WriteString("\n")
	for i := range r.Images {
		im := &r.Images[i]
		start, end := im.Span()
		fmt.Fprintf(&b, "\n%s %s label=%q size=%d sum=%s at %v path=%q name=%q\n", im.Media, im.Carrier, im.Label, im.Size, im.Sum.Short(), im.Place, im.Path, im.Name())
		fmt.Fprintf(&b, "  part %s\n  placeholder %s\n", body[start:end], placeholderIn(a, im, body))
	}
	return b.String()
}

// placeholderIn is the placeholder in an image's place; for an API that puts it elsewhere,
// the body with it.
func placeholderIn(a API, im *Image, body string) string {
	edits, ok := Substitute(a, []*Image{im}, func(*Image) string { return "gone" })
	start, end := im.Span()
	switch {
	case !ok:
		return "(none)"
	case len(edits) == 1 && edits[0].Start == start && edits[0].End == end:
		return string(edits[0].Text)
	}
	return "apart:\n    " + edited(body, edits)
}
