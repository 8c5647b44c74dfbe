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

// changing is a memory whose order changes.
type changing struct {
	mu   sync.Mutex
	list memory
}

func (c *changing) Snapshot() []record.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list)
}

func (c *changing) Forget(func(string) bool) (int, int) { return 0, 0 }

func (c *changing) turn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Reverse(c.list)
}

// What agents and people call things does nothing to the page, and whoever is
// asked something stays where he is when the list changes.
func TestOddNames(t *testing.T) {
	entry := func(signature, session, model string) record.Snapshot {
		return record.Snapshot{Signature: signature, Session: session, Protocol: "anthropic", Model: model, Reason: "decode_failed",
			What: "80 bytes, an HTML page, not a PNG", Items: []string{"a1b2c3d4e5f60718"}, State: string(breaker.Open), Since: time.Now(), Remaining: time.Hour}
	}
	m := &changing{list: memory{
		entry("0123456789abcdef", "abcdefg😀xyzxyz", "\u202egpt-4o\n<b>"),
		entry("0123456789abcdef", "ses_other", "gpt-4o"),
	}}
	live := pages.NewLive()
	p := show(t, pages.Config{Memory: m, Live: live})
	last := "#entries tr:last-child "
	p.reads(last+".where .main", `\u202egpt-4o\u000a<b>`)
	p.reads(last+".where .sub", "abcdefg😀…")
	p.do(chromedp.Click(chromedp.CSS(last + "button")))
	p.reads(last+".act", "Try it again in 2 sessions?")
	m.turn()
	live.Event(eventlog.Event{Time: eventlog.Time{Time: time.Now()}, Event: "failure_recorded", Protocol: "anthropic", Model: "\u202egpt-4o", Reason: "decode_failed"})
	p.reads("#log li:first-child .words", `\u202egpt-4o`)
	p.reads("#entries tr:first-child .where .main", `\u202egpt-4o\u000a<b>`)
	p.sees("document.activeElement.textContent === 'Yes, forget'")
	p.unharmed()
}
