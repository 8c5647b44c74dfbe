package pages_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/pages"
	"imagebreaker/internal/record"
)

// page is a subscriber, as the server sees it.
type page struct {
	mu     sync.Mutex
	header http.Header
	status int
	got    bytes.Buffer
	stuck  chan struct{} // if not nil, writes block until it is closed
}

func (p *page) Header() http.Header { return p.header }
func (p *page) WriteHeader(s int)   { p.status = s }
func (p *page) Flush()              {}

func (p *page) Write(b []byte) (int, error) {
	if p.stuck != nil {
		<-p.stuck
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got.Write(b)
}

// text is what was received. The part of the ids that tells the process is left out.
func (p *page) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return regexp.MustCompile(`id: \d+-`).ReplaceAllString(p.got.String(), "id: ")
}

// subscribe opens a page; leave closes it.
func subscribe(l *pages.Live, p *page) (leave func()) {
	ctx, cancel := context.WithCancel(context.Background())
	p.header = http.Header{}
	ended := make(chan struct{})
	go func() {
		l.ServeHTTP(p, httptest.NewRequestWithContext(ctx, "GET", "/-/live", nil))
		close(ended)
	}()
	return func() { cancel(); <-ended }
}

func emit(l *pages.Live, name record.Event) {
	l.Event(eventlog.Event{Time: eventlog.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, Event: name})
}

func line(id int, name string) string {
	return fmt.Sprintf("id: %d\ndata: {\"time\":\"2026-01-02T03:04:05.000Z\",\"event\":%q}\n\n", id, name)
}

func TestLive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := pages.NewLive()
		emit(l, "one")
		var p, q page
		leave := subscribe(l, &p)
		synctest.Wait()
		emit(l, "two")
		l.Finished(record.Exchange{}) // not an event
		synctest.Wait()
		const beginning = "retry: 2000\n\n"
		if got, want := p.text(), beginning+line(1, "one")+line(2, "two"); got != want || p.header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%v %q, want %q", p.header, got, want)
		}
		time.Sleep(15 * time.Second) // the bubble's
		synctest.Wait()
		if got := p.text(); !strings.HasSuffix(got, ": still here\n\n") {
			t.Errorf("the connection is not kept alive: %q", got)
		}
		leave()
		emit(l, "three")
		leave = subscribe(l, &q) // who reconnects gets the recent events again, with their ids
		synctest.Wait()
		if got, want := q.text(), beginning+line(1, "one")+line(2, "two")+line(3, "three"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		leave()
	})
}

// A browser that does not read loses events, and is told so. Their sender does not
// wait.
func TestLiveDropsForSlowSubscribers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := pages.NewLive()
		p := page{stuck: make(chan struct{})}
		leave := subscribe(l, &p)
		synctest.Wait()
		for range 300 {
			emit(l, "more") // returns
		}
		close(p.stuck)
		synctest.Wait()
		text := p.text()
		if got := strings.Count(text, `"more"`); got != 256 {
			t.Errorf("%d events arrived", got)
		}
		if strings.Count(text, "event: lost\ndata: {\"lost\":44}\n\n") != 1 {
			t.Errorf("not told of 44 lost events: %.300q", text)
		}
		leave()
	})
}

func TestLiveReplaysRecentEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := pages.NewLive()
		for range 120 {
			emit(l, "old")
		}
		var p page
		leave := subscribe(l, &p)
		synctest.Wait()
		text := p.text()
		if n := strings.Count(text, `"old"`); n != 50 || !strings.Contains(text, line(71, "old")) || !strings.HasSuffix(text, line(120, "old")) {
			t.Errorf("%d events: %.200q", n, text)
		}
		leave()
	})
}

func TestLiveLimitsSubscribers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := pages.NewLive()
		var open [16]page
		var leave []func()
		for i := range open {
			leave = append(leave, subscribe(l, &open[i]))
		}
		synctest.Wait()
		if a := ask(l, "GET", "/-/live"); a.Code != http.StatusServiceUnavailable || a.Header().Get("Retry-After") == "" {
			t.Errorf("subscriber 17 got %d", a.Code)
		}
		leave[0]()
		var next page
		leave[0] = subscribe(l, &next)
		synctest.Wait()
		if next.status != 0 {
			t.Errorf("a subscription that ended still counts: %d", next.status)
		}
		for _, f := range leave {
			f()
		}
	})
}

// An open page must not keep the program from ending.
func TestLiveShutdown(t *testing.T) {
	t.Parallel()
	l := pages.NewLive()
	server := httptest.NewUnstartedServer(pages.New(pages.Config{Memory: &memory{}, Live: l}, next))
	server.Config.RegisterOnShutdown(l.Close)
	server.Start()
	resp, err := server.Client().Get(server.URL + "/-/live")
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v, %v", resp, err)
	}
	defer resp.Body.Close()
	if err := server.Config.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := ask(l, "GET", "/-/live"); strings.Contains(a.Body.String(), "data:") {
		t.Errorf("a late subscriber gets events: %q", a.Body)
	}
	server.Close()
}

func TestLiveHead(t *testing.T) {
	t.Parallel()
	if a := ask(pages.NewLive(), "HEAD", "/-/live"); a.Code != 200 || a.Body.Len() > 0 {
		t.Errorf("%d %q", a.Code, a.Body)
	}
}
