package pages_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"imagebreaker/internal/pages"
)

func TestStaticFiles(t *testing.T) {
	t.Parallel()
	h := pages.New(pages.Config{Memory: &memory{}}, next)
	list, err := os.ReadDir("static")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		want, err := os.ReadFile("static/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		path, kind := "/-/"+f.Name(), map[string]string{"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}[f.Name()[strings.LastIndexByte(f.Name(), '.')+1:]]
		if f.Name() == "page.html" {
			path = "/-/"
		}
		a := ask(h, "GET", path)
		if got := a.Header().Get("Content-Type"); a.Code != 200 || got != kind || kind == "" || a.Body.String() != string(want) {
			t.Errorf("%s: %d %q, %d bytes", path, a.Code, got, a.Body.Len())
		}
		if a := ask(h, "POST", path); a.Code != 405 {
			t.Errorf("POST %s: %d", path, a.Code)
		}
	}
	for _, path := range []string{"/-/page.html", "/-/static/page.js", "/-/nothing.js"} {
		if a := ask(h, "GET", path); a.Code != 404 {
			t.Errorf("%s: %d", path, a.Code)
		}
	}
}

// All that the page loads is served here, and allowed by its policy.
func TestPageIsSelfContained(t *testing.T) {
	t.Parallel()
	h := pages.New(pages.Config{Memory: &memory{}}, next)
	html := ask(h, "GET", "/-/").Body.String()
	loads := regexp.MustCompile(`(?:src|href)="(/[^"]*)"`).FindAllStringSubmatch(html, -1)
	imports := regexp.MustCompile(`from "\./([^"]*)"`)
	calls := regexp.MustCompile("(?:get\\(|EventSource\\(|forget\\()[\"`](/-/[a-z.]+)")
	list, err := os.ReadDir("static")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		data, _ := os.ReadFile("static/" + f.Name())
		for _, m := range imports.FindAllStringSubmatch(string(data), -1) {
			loads = append(loads, []string{"", "/-/" + m[1]})
		}
		loads = append(loads, calls.FindAllStringSubmatch(string(data), -1)...)
		if elsewhere := regexp.MustCompile(`https?://[^"]*`).FindString(string(data)); elsewhere != "" && elsewhere != "http://www.w3.org/2000/svg" {
			t.Errorf("%s names %s", f.Name(), elsewhere)
		}
		for _, markup := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "@import", "url("} {
			if strings.Contains(string(data), markup) {
				t.Errorf("%s has %s", f.Name(), markup)
			}
		}
	}
	if len(loads) < 15 {
		t.Errorf("loads only %q", loads)
	}
	for _, m := range loads {
		if a := ask(h, "HEAD", m[1]); a.Code != 200 {
			t.Errorf("%s: %d", m[1], a.Code)
		}
	}
	for _, inline := range []string{"<style", " style=", "<script>", " onclick=", "javascript:"} {
		if strings.Contains(html, inline) {
			t.Errorf("the page has %s", inline)
		}
	}
}
