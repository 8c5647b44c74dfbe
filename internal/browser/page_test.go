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

// focused is the text of what has the keyboard.
const focused = "document.activeElement.textContent"

func TestPage(t *testing.T) {
	cut := screenshot()
	r := start(t, htmlPage, cut)
	p := open(t, r.url)
	p.reads("#nothing", "Nothing is known to be bad")
	p.reads("#link", "live")
	p.reads("#mode", "on")
	p.looks("empty")

	if status := r.send("ses_0123456789abcdef", htmlPage); status != 400 {
		t.Fatalf("the upstream's refusal came as %d", status)
	}
	p.reads(firstRow+".main", "An HTML page, not a PNG") // without a reload
	p.reads(firstRow+".sub", "decode_failed")
	p.reads(firstRow+".where", "claude-sonnet-4-5")
	p.reads(firstRow+".where .sub", "ses_0123…")
	p.reads("#log li:first-child", "failed")
	p.reads("#now-held", "1")

	r.send("ses_0123456789abcdef", htmlPage)
	r.send("ses_0123456789abcdef", htmlPage)
	p.reads(firstRow+".count", "2")
	p.reads("#log li:first-child", "held")
	p.reads("#uploads", "2")
	if n := r.uploads(); n != 1 {
		t.Errorf("%d uploads", n)
	}
	// It runs by itself: the list alone would come by every ten seconds.
	p.sees(fmt.Sprintf("(window.seen ??= new Set()).add(document.querySelector(%q).textContent).size > 5", firstRow+".left"))

	for range 6 {
		r.send("9b1f6c1e-5d0a-4b6e-8c0e-2f1d7a3b9c55", cut)
	}
	p.reads(firstRow+".main", "A PNG of 640x400 pixels that is cut off")
	p.reads(firstRow+".count", "5")
	p.reads("#uploads", "7")
	p.looks("held")
	if text := value[string](p, "document.documentElement.outerHTML"); strings.Contains(strings.ToLower(text), "secret") {
		t.Error("the page shows a prompt, a name or a payload")
	}
	p.unharmed()
}

// screenshot is a PNG whose last part is missing.
func screenshot() string {
	im := image.NewRGBA(image.Rect(0, 0, 640, 400))
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range im.Pix {
		im.Pix[i] = byte(noise.Uint32()) | byte(i%4/3)*255
	}
	var b bytes.Buffer
	png.Encode(&b, im) // a buffer takes everything
	return b.String()[:b.Len()*3/5]
}

// By keyboard alone: forget asks first, Escape means no, and the keyboard's
// place is kept while the list changes.
func TestForget(t *testing.T) {
	r := start(t, htmlPage, htmlPage+"b", htmlPage+"c")
	p := open(t, r.url)
	p.reads("#link", "live")
	r.send("ses_a", htmlPage)
	r.send("ses_b", htmlPage+"b")
	p.sees("document.querySelectorAll('#entries tr').length === 2")
	p.do(chromedp.Focus(chromedp.CSS("#filter")), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab)) // past Forget all
	p.sees(focused + ` === "Forget"`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees(focused + ` === "Yes, forget"`)
	p.looks("asking")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.sees(focused + ` === "Forget"`)
	p.do(chromedp.KeyEvent(kb.Enter))
	r.send("ses_c", htmlPage+"c") // comes in between
	p.sees("document.querySelectorAll('#entries tr').length === 3")
	if got := value[string](p, focused); got != "Yes, forget" {
		t.Errorf("the keyboard went to %q", got)
	}
	before := r.uploads()
	r.send("ses_b", htmlPage+"b")
	if r.uploads() != before {
		t.Fatal("not held")
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("document.querySelectorAll('#entries tr').length === 2")
	p.reads("#said", "Forgotten. The next")
	p.sees(focused + ` === "Forget"`)
	r.send("ses_b", htmlPage+"b")
	if r.uploads() != before+1 {
		t.Error("what was forgotten is held")
	}
	p.sees("document.querySelectorAll('#entries tr').length === 3")
	p.do(chromedp.Click(chromedp.CSS("#all button")), chromedp.KeyEvent(kb.Enter))
	p.reads("#nothing", "Nothing is known to be bad")
	p.unharmed()
}

// A page that is open does not keep the program from ending, and says so.
func TestEnd(t *testing.T) {
	r := start(t)
	p := open(t, r.url)
	p.reads("#link", "live")
	if err := r.stop(); err != nil { // with a wait of half a minute it would have been told on standard error
		t.Errorf("ended with %v", err)
	}
	p.sees(`document.querySelector("#link").dataset.state === "lost"`)
}
