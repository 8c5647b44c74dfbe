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

// tab is an open page. It collects what goes wrong in it.
type tab struct {
	*testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	problems []string
}

// reportViolations makes the page log to the console what its policy blocks.
const reportViolations = `document.addEventListener("securitypolicyviolation", e => console.error("policy: " + e.violatedDirective + " " + e.blockedURI))`

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
	must(t, chromedp.Listen(ctx, p.observe))
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: reportViolations})
	p.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(base+"/-/"))
	return p
}

func call[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.Helper()
	_, err := chromedp.Call(p.ctx, command, params)
	must(p.T, err)
}

// observe collects errors and requests to other hosts.
func (p *tab) observe(event any) {
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
		p.problems = append(p.problems, what)
	}
}

// checkProblems wants nothing to have gone wrong so far.
func (p *tab) checkProblems() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, problem := range p.problems {
		p.Error(problem)
	}
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	must(p.T, chromedp.Do(p.ctx, actions...))
}

// waitFor waits until a JavaScript expression is true.
func (p *tab) waitFor(expression string) {
	p.Helper()
	// The page's policy blocks what chromedp.Poll does.
	promise := fmt.Sprintf(`new Promise(done => {
		const end = performance.now() + 30000;
		const check = () => (%s) ? done(true) : performance.now() > end ? done(false) : setTimeout(check, 50);
		check();
	})`, expression)
	ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](promise, chromedp.EvalAwaitPromise))
	must(p.T, err)
	if !ok {
		p.Fatalf("never true: %s\nthe page:\n%s", expression, evaluate[string](p, "document.body.innerText"))
	}
}

// evaluate returns the value of a JavaScript expression.
func evaluate[T any](p *tab, expression string) T {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	must(p.T, err)
	return v
}

// waitForText waits until an element contains a text.
func (p *tab) waitForText(selector, want string) {
	p.Helper()
	p.waitFor(fmt.Sprintf("document.querySelector(%q)?.textContent.includes(%q)", selector, want))
}

// checkLayout tries sizes and colour schemes: nothing may be wider than the screen.
func (p *tab) checkLayout(name string) {
	p.Helper()
	for _, size := range []struct{ w, h int64 }{{1280, 900}, {390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
			p.do(chromedp.EmulateViewport(size.w, size.h))
			call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
			if elements := evaluate[string](p, overflowing); elements != "" {
				p.Errorf("%s at %d px, too wide: %s", name, size.w, elements)
			}
			p.screenshot(fmt.Sprintf("%s-%d-%s.png", name, size.w, scheme))
		}
	}
	p.do(chromedp.EmulateViewport(1280, 900))
}

// overflowing names the elements that lie beyond an edge of the screen.
const overflowing = `[...document.querySelectorAll("body *")].filter(e => {
	const b = e.getBoundingClientRect();
	return b.width > 1 && !e.closest(".visually-hidden, .skip, thead") && (b.right > document.documentElement.clientWidth + 1 || b.left < -1);
}).map(e => e.tagName + "." + e.className + "#" + e.id).slice(0, 5).join(" ")`

// screenshot saves a picture of the whole page if SCREENSHOTS is set.
func (p *tab) screenshot(file string) {
	p.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	must(p.T, err)
	must(p.T, os.WriteFile(filepath.Join(dir, file), png, 0o644))
}
