package proxy_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/protocol"
)

// leaf is a string in a body, or a member's name.
type leaf struct{ start, end int }

// leavesOf finds them in a document.
func leavesOf(t *testing.T, body []byte) []leaf {
	t.Helper()
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out []leaf
	for {
		kind := d.PeekKind()
		if kind != '"' {
			if _, err := d.ReadToken(); err != nil {
				return out // the end; or a case for what is no JSON
			}
			continue
		}
		raw, err := d.ReadValue()
		must(t, err)
		end := int(d.InputOffset())
		out = append(out, leaf{end - len(raw), end})
	}
}

// TestCanariesInEveryField puts a canary in the place of every string and every
// member's name of every request that is a sample of an API, one at a time. So a
// new API has its fields tried without a word here.
func TestCanariesInEveryField(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("much work for one goroutine: there is no race to find")
	}
	for _, api := range protocol.All() {
		files, err := filepath.Glob(filepath.Join("..", "..", "testdata", api.Name(), "scan-*.txtar"))
		must(t, err)
		t.Run(api.Name(), func(t *testing.T) {
			t.Parallel()
			for _, f := range files {
				ar, err := txtar.ParseFile(f)
				must(t, err)
				tryEveryField(t, filepath.Base(f), ar.Files[0].Data)
			}
		})
	}
}

func tryEveryField(t *testing.T, name string, request []byte) {
	t.Helper()
	head, body, _ := bytes.Cut(request, []byte("\n\n"))
	tp := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(bytes.Clone(head), "\n\n"...))))
	line, _ := tp.ReadLine()
	header, err := tp.ReadMIMEHeader()
	must(t, err)
	method, path, _ := strings.Cut(line, " ")
	refusal := fakeapi.JSON(400, `{"error":{"message":"Could not process image"}}`)
	for _, s := range []policy.Style{policy.Auto, policy.Repair} {
		set, events := inLog(t, style(s))
		p := inMemory(scripted(fakeapi.Always(refusal)), set)
		answered := map[string]bool{} // canaries that may be in an answer
		logged := map[string]bool{}   // … in the log
		for i, l := range leavesOf(t, body) {
			word := fmt.Sprintf("zqleaf%dqz", i)
			text := string(body[:l.start]) + `"` + word + `"` + string(body[l.end:])
			allow(t, method, path, http.Header(header), text, word, logged, answered)
			for range 2 {
				var pairs []string
				for k, v := range header {
					pairs = append(pairs, k, v[0])
				}
				a := call(p, method, path, text, pairs...)
				if strings.HasPrefix(a.header.Get("X-Imagebreaker"), "short-circuited") && strings.Contains(a.body, word) && !answered[word] {
					t.Errorf("%s, %s: an answer holds what stood at %s: %s", name, s, around(body, l), a.body)
				}
			}
		}
		log := ""
		for _, e := range events() {
			log += fmt.Sprintf("%+v\n", e)
		}
		for i, l := range leavesOf(t, body) {
			if word := fmt.Sprintf("zqleaf%dqz", i); strings.Contains(log, word) && !logged[word] {
				t.Errorf("%s, %s: the log holds what stood at %s", name, s, around(body, l))
			}
		}
	}
}

// allow notes where a canary may turn up: it has become the session, the model,
// or a file's name.
func allow(t *testing.T, method, path string, h http.Header, body, word string, logged, answered map[string]bool) {
	t.Helper()
	u, err := url.Parse(path)
	must(t, err)
	api, c, _ := protocol.All().Match(method, u, h)
	r, err := protocol.Scan(api, c, h, []byte(body), nil)
	if err != nil {
		return
	}
	if strings.Contains(r.Session+r.Model, word) {
		logged[word], answered[word] = true, true
	}
	for i := range r.Images {
		if strings.Contains(r.Images[i].Name(), word) {
			answered[word] = true
		}
	}
}

func around(body []byte, l leaf) string {
	return fmt.Sprintf("%d: …%s…", l.start, body[max(0, l.start-40):min(len(body), l.end+10)])
}
