package browser_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/internal/pages"
	"imagebreaker/internal/record"
)

// memory replaces the proxy's.
type memory []record.Snapshot

func (m memory) Snapshot() []record.Snapshot         { return slices.Clone(m) }
func (m memory) Forget(func(string) bool) (int, int) { return 0, 0 }

// show serves the pages without a proxy.
func show(t *testing.T, c pages.Config) *tab {
	t.Helper()
	server := httptest.NewUnstartedServer(pages.New(c, nil))
	server.Config.RegisterOnShutdown(c.Live.Close)
	server.Start()
	p := open(t, server.URL)
	t.Cleanup(func() {
		c.Live.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return p
}

// A full memory neither overwhelms the page nor hides anything.
func TestTenThousandEntries(t *testing.T) {
	var m memory
	for i := range 10000 {
		m = append(m, record.Snapshot{
			Signature: fmt.Sprintf("%016x", i), Session: fmt.Sprintf("ses_%05d", i), Protocol: "anthropic", Model: "claude-sonnet-4-5", Reason: "decode_failed",
			What: "51860 bytes, a PNG of 1280x720 pixels that is cut off", Items: []string{fmt.Sprintf("%016x", i)}, State: string(breaker.Open), Rejected: i, Since: time.Unix(int64(i), 0), Remaining: time.Hour,
		})
	}
	p := show(t, pages.Config{Memory: m, Live: pages.NewLive()})
	rows := func(n int) { p.waitFor(fmt.Sprintf("document.querySelectorAll('#entries tr').length === %d", n)) }
	rows(200)
	p.waitForText("#rejecting", "10,000")
	p.waitForText("#more", "The newest 200 of 10,000")
	p.waitForText("#entries tr:first-child .number-of", "9,999")
	p.do(chromedp.Click(chromedp.CSS("#more button")))
	rows(400)
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), "ses_00042"))
	rows(1)
	p.waitForText("#entries tr:first-child .number-of", "42")
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), "x"))
	p.waitForText("#no-entries", "matches the filter")
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), strings.Repeat(kb.Backspace, 10)))
	rows(200)
	p.checkProblems()
}

// varied returns failures of all kinds, one of them with names that cannot be wrapped.
func varied(now time.Time) memory {
	ago := func(minutes int) time.Time { return now.Add(-time.Duration(minutes) * time.Minute) }
	return memory{
		{Signature: "9b0d3f7e11223344", Reason: "media_type_mismatch", State: record.StateSubstituted, Since: ago(90)},
		{Signature: "77aa01c2b3d4e5f6", Session: "5f0c9d3e-7a41-4f7e-9a57-3d1b9a7c2e10", Protocol: "openai_responses", Model: "gpt-5.2-codex", Reason: "dimensions_many_image",
			What: "1873204 bytes, a PNG of 3840x2160 pixels", Items: []string{"aa11aa11aa11aa11", "bb22", "cc33", "dd44"}, State: string(breaker.Open), Rejected: 3, Since: ago(31), Remaining: 21 * time.Second},
		{Signature: "0123456789abcdef", Session: "none-" + strings.Repeat("x", 90), Protocol: "openai_chat", Model: strings.Repeat("a-model-with-a-long-name/", 4), Reason: "fetch_4xx",
			What: "a remote address", Items: []string{"ee55ee55ee55ee55"}, State: string(breaker.HalfOpen), Rejected: 1208, Since: ago(12)},
		{Signature: "5d2c8a9f00112233", Protocol: "gemini", Model: "gemini-3-pro", Reason: "unsupported_format",
			What: "84213 bytes, an AVIF image, a format that vision APIs do not take", Items: []string{"ff66ff66ff66ff66"}, State: string(breaker.Probing), Rejected: 17, Since: ago(5)},
		{Signature: "c0ffee0011223344", Session: "0b6d7e0e-1111-4222-8333-944445555666", Protocol: "anthropic", Model: "claude-sonnet-4-5", Reason: "decode_failed",
			What: "51860 bytes, a PNG of 1280x720 pixels that is cut off", Items: []string{"a1b2c3d4e5f60718"}, State: string(breaker.Open), Rejected: 29, Since: ago(1), Remaining: 28 * time.Second},
	}
}

// emitAll emits events of all kinds.
func emitAll(l *pages.Live, now time.Time) {
	for i, e := range []eventlog.Event{
		{Event: "upstream_error", Protocol: "anthropic", Model: "claude-sonnet-4-5", Verdict: "none", Reason: "overloaded", Status: 529, ErrorKind: "http_5xx", ClientStatus: 529},
		{Event: "upstream_error", Protocol: "openai_chat", Model: strings.Repeat("a-model-with-a-long-name/", 4), ErrorKind: "network", ClientStatus: 502},
		{Event: "forwarded_unseen", Protocol: "gemini", Reason: "body_too_large", Status: 200, ClientStatus: 200},
		{Event: "recovered", Protocol: "gemini", Model: "gemini-3-pro", Reason: "fetch_4xx", Signature: "0123456789abcdef", Status: 200, ClientStatus: 200},
		{Event: "repaired", Protocol: "openai_responses", Model: "gpt-5.2-codex", Reason: "media_type_mismatch", Signature: "9b0d3f7e11223344", Status: 200, ClientStatus: 200},
		{Event: "failure_recorded", Protocol: "anthropic", Model: "claude-sonnet-4-5", Reason: "decode_failed", Signature: "c0ffee0011223344", Status: 500, ErrorKind: "http_5xx", ClientStatus: 400},
		{Event: "short_circuited", Protocol: "anthropic", Model: "claude-sonnet-4-5", Reason: "decode_failed", Signature: "c0ffee0011223344", ClientStatus: 200, RequestBytes: 812345},
		{Event: "short_circuited", Protocol: "anthropic", Model: "claude-sonnet-4-5", Reason: "decode_failed", Signature: "c0ffee0011223344", ClientStatus: 200, RequestBytes: 812911},
	} {
		e.Time = eventlog.Time{Time: now.Add(time.Duration(i-8) * 7 * time.Second)}
		l.Event(e)
	}
}

func TestLayout(t *testing.T) {
	now := time.Now()
	at := now.Add(-55 * time.Minute)
	saved, live := pages.NewSaved(func() time.Time { return at }), pages.NewLive()
	for minute := range 55 {
		for range minute * minute % 13 * (minute % 5) {
			saved.Finished(record.Exchange{Bytes: int64(90000 + 4000*minute), Attempts: []record.Attempt{{Rejected: &record.Entry{Reason: record.DecodeFailed}}}})
		}
		at = at.Add(time.Minute)
	}
	emitAll(live, now)
	p := show(t, pages.Config{Memory: varied(now), Live: live, Saved: saved, About: pages.About{Mode: "on", Version: "v1.4.0", Address: "127.0.0.1:8788"}})
	p.waitFor("document.querySelectorAll('#entries tr').length === 5 && document.querySelectorAll('#log li').length === 8")
	p.checkLayout("full")
	p.checkProblems()
}
