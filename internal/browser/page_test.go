package browser_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	htmlPage = "<!DOCTYPE html>\n<html><head><title>404</title></head><body>SECRET</body></html>\n"
	firstRow = "#entries tr:first-child "
)

// focusedText is the text of the element that has the focus.
const focusedText = "document.activeElement.textContent"

func TestPage(t *testing.T) {
	truncated := truncatedPNG()
	r := start(t, htmlPage, truncated)
	p := open(t, r.url)
	p.waitForText("#no-entries", "No image is known to be bad")
	p.waitForText("#link", "live")
	p.waitForText("#mode", "on")
	p.checkLayout("empty")

	if status := r.send("ses_0123456789abcdef", htmlPage); status != 400 {
		t.Fatalf("the upstream's refusal came as %d", status)
	}
	p.waitForText(firstRow+".main", "An HTML page, not a PNG") // without a reload
	p.waitForText(firstRow+".sub", "decode_failed")
	p.waitForText(firstRow+".where", "claude-sonnet-4-5")
	p.waitForText(firstRow+".where .sub", "ses_0123…")
	p.waitForText("#log li:first-child", "failed")
	p.waitForText("#rejecting", "1")

	r.send("ses_0123456789abcdef", htmlPage)
	r.send("ses_0123456789abcdef", htmlPage)
	p.waitForText(firstRow+".count", "2")
	p.waitForText("#log li:first-child", "short-circuited")
	p.waitForText("#uploads", "2")
	if n := r.uploads(); n != 1 {
		t.Errorf("%d uploads", n)
	}
	// The countdown runs without polls, which come every ten seconds.
	p.waitFor(fmt.Sprintf("(window.texts ??= new Set()).add(document.querySelector(%q).textContent).size > 5", firstRow+".left"))

	for range 6 {
		r.send("9b1f6c1e-5d0a-4b6e-8c0e-2f1d7a3b9c55", truncated)
	}
	p.waitForText(firstRow+".main", "A PNG of 640x400 pixels that is cut off")
	p.waitForText(firstRow+".count", "5")
	p.waitForText("#uploads", "7")
	p.checkLayout("breakers")
	if text := evaluate[string](p, "document.documentElement.outerHTML"); strings.Contains(strings.ToLower(text), "secret") {
		t.Error("the page shows a prompt, a name or a payload")
	}
	p.checkProblems()
}

// truncatedPNG returns a PNG without its last part.
func truncatedPNG() string {
	im := image.NewRGBA(image.Rect(0, 0, 640, 400))
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range im.Pix {
		im.Pix[i] = byte(noise.Uint32()) | byte(i%4/3)*255
	}
	var b bytes.Buffer
	png.Encode(&b, im) // writing to a buffer cannot fail
	return b.String()[:b.Len()*3/5]
}

// By keyboard alone: forget asks first, Escape means no, and the focus is kept while
// the list changes.
func TestForget(t *testing.T) {
	r := start(t, htmlPage, htmlPage+"b", htmlPage+"c")
	p := open(t, r.url)
	p.waitForText("#link", "live")
	r.send("ses_a", htmlPage)
	r.send("ses_b", htmlPage+"b")
	p.waitFor("document.querySelectorAll('#entries tr').length === 2")
	p.do(chromedp.Focus(chromedp.CSS("#filter")), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab)) // past Forget all
	p.waitFor(focusedText + ` === "Forget"`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.waitFor(focusedText + ` === "Yes, forget"`)
	p.checkLayout("asking")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.waitFor(focusedText + ` === "Forget"`)
	p.do(chromedp.KeyEvent(kb.Enter))
	r.send("ses_c", htmlPage+"c") // meanwhile
	p.waitFor("document.querySelectorAll('#entries tr').length === 3")
	if got := evaluate[string](p, focusedText); got != "Yes, forget" {
		t.Errorf("the focus went to %q", got)
	}
	before := r.uploads()
	r.send("ses_b", htmlPage+"b")
	if r.uploads() != before {
		t.Fatal("not short-circuited")
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.waitFor("document.querySelectorAll('#entries tr').length === 2")
	p.waitForText("#result", "Forgotten. The next")
	p.waitFor(focusedText + ` === "Forget"`)
	r.send("ses_b", htmlPage+"b")
	if r.uploads() != before+1 {
		t.Error("what was forgotten is short-circuited")
	}
	p.waitFor("document.querySelectorAll('#entries tr').length === 3")
	p.do(chromedp.Click(chromedp.CSS("#forget-all button")), chromedp.KeyEvent(kb.Enter))
	p.waitForText("#no-entries", "No image is known to be bad")
	p.checkProblems()
}

// An open page does not keep the program from ending, and says that it has.
func TestEnd(t *testing.T) {
	r := start(t)
	p := open(t, r.url)
	p.waitForText("#link", "live")
	if err := r.stop(); err != nil { // after waiting half a minute it would exit with an error
		t.Errorf("ended with %v", err)
	}
	p.waitFor(`document.querySelector("#link").dataset.state === "lost"`)
}
