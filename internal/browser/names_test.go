package browser_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/internal/pages"
	"imagebreaker/internal/record"
)

// reversible is a memory whose order changes.
type reversible struct {
	mu   sync.Mutex
	list memory
}

func (r *reversible) Snapshot() []record.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

func (r *reversible) Forget(func(string) bool) (int, int) { return 0, 0 }

func (r *reversible) reverse() {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Reverse(r.list)
}

// Names that others choose do nothing to the page, and a question that is open stays
// open, with the focus, when the list changes.
func TestOddNames(t *testing.T) {
	entry := func(signature, session, model string) record.Snapshot {
		return record.Snapshot{Signature: signature, Session: session, Protocol: "anthropic", Model: model, Reason: "decode_failed",
			What: "80 bytes, an HTML page, not a PNG", Items: []string{"a1b2c3d4e5f60718"}, State: string(breaker.Open), Since: time.Now(), Remaining: time.Hour}
	}
	m := &reversible{list: memory{
		entry("0123456789abcdef", "abcdefg😀xyzxyz", "\u202egpt-4o\n<b>"),
		entry("0123456789abcdef", "ses_other", "gpt-4o"),
	}}
	live := pages.NewLive()
	p := show(t, pages.Config{Memory: m, Live: live})
	last := "#entries tr:last-child "
	p.waitForText(last+".where .main", `\u202egpt-4o\u000a<b>`)
	p.waitForText(last+".where .sub", "abcdefg😀…")
	p.do(chromedp.Click(chromedp.CSS(last + "button")))
	p.waitForText(last+".act", "Try it again in 2 sessions?")
	m.reverse()
	live.Event(eventlog.Event{Time: eventlog.Time{Time: time.Now()}, Event: "failure_recorded", Protocol: "anthropic", Model: "\u202egpt-4o", Reason: "decode_failed"})
	p.waitForText("#log li:first-child .words", `\u202egpt-4o`)
	p.waitForText("#entries tr:first-child .where .main", `\u202egpt-4o\u000a<b>`)
	p.waitFor("document.activeElement.textContent === 'Yes, forget'")
	p.checkProblems()
}
