package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is an open page. What goes wrong in it is noted.
type tab struct {
	*testing.T
	ctx  context.Context
	base string

	mu    sync.Mutex
	wrong []string
}

// reports makes the page say in the console what its policy forbids.
const reports = `document.addEventListener("securitypolicyviolation", e => console.error("policy: " + e.violatedDirective + " " + e.blockedURI))`

// open shows the page at base.
func open(t *testing.T, base string) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(shared.browser)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	p := &tab{T: t, ctx: ctx, base: base}
	t.Cleanup(func() {
		cancel()
		closeTab()
	})
	must(t, chromedp.Listen(ctx, p.note))
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: reports})
	p.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(base+"/-/"))
	return p
}

func call[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.Helper()
	_, err := chromedp.Call(p.ctx, command, params)
	must(p.T, err)
}

// note takes down errors and requests to elsewhere.
func (p *tab) note(event any) {
	what := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		what = "exception: " + e.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			what = fmt.Sprintf("console: %s", e.Args[0].Value)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			what = "log: " + e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, p.base+"/-/") {
			what = "request to " + e.Request.URL
		}
	}
	if what != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.wrong = append(p.wrong, what)
	}
}

// unharmed wants nothing to have gone wrong so far.
func (p *tab) unharmed() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.wrong {
		p.Error(w)
	}
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	must(p.T, chromedp.Do(p.ctx, actions...))
}

// sees waits until an expression of JavaScript is true.
func (p *tab) sees(expression string) {
	p.Helper()
	// No chromedp.Poll: the page's policy forbids what it does.
	promise := fmt.Sprintf(`new Promise(done => {
		const end = performance.now() + 30000;
		const look = () => (%s) ? done(true) : performance.now() > end ? done(false) : setTimeout(look, 50);
		look();
	})`, expression)
	seen, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](promise, chromedp.EvalAwaitPromise))
	must(p.T, err)
	if !seen {
		p.Fatalf("never: %s\nthe page:\n%s", expression, value[string](p, "document.body.innerText"))
	}
}

// value is what an expression of JavaScript is now.
func value[T any](p *tab, expression string) T {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	must(p.T, err)
	return v
}

// reads wants an element's text, once it is that.
func (p *tab) reads(selector, want string) {
	p.Helper()
	p.sees(fmt.Sprintf("document.querySelector(%q)?.textContent.includes(%q)", selector, want))
}

// looks goes through sizes and colours: nothing may be wider than the screen.
func (p *tab) looks(name string) {
	p.Helper()
	for _, size := range []struct{ w, h int64 }{{1280, 900}, {390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
			p.do(chromedp.EmulateViewport(size.w, size.h))
			call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
			if over := value[string](p, tooWide); over != "" {
				p.Errorf("%s at %d px, too wide: %s", name, size.w, over)
			}
			p.shoot(fmt.Sprintf("%s-%d-%s.png", name, size.w, scheme))
		}
	}
	p.do(chromedp.EmulateViewport(1280, 900))
}

// tooWide names what stands beyond the right edge, or is cut off.
const tooWide = `[...document.querySelectorAll("body *")].filter(e => {
	const b = e.getBoundingClientRect();
	return b.width > 1 && !e.closest(".unseen, .skip, thead") && (b.right > document.documentElement.clientWidth + 1 || b.left < -1);
}).map(e => e.tagName + "." + e.className + "#" + e.id).slice(0, 5).join(" ")`

// shoot takes a picture of the whole page if pictures are wanted.
func (p *tab) shoot(file string) {
	p.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	must(p.T, err)
	must(p.T, os.WriteFile(filepath.Join(dir, file), png, 0o644))
}
