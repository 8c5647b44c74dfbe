package pages_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"imagebreaker/breaker"
	"imagebreaker/internal/pages"
	"imagebreaker/internal/record"
)

func TestFilter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, want, matching string }{
		{"", "0 1 2", "3"},
		{"limit=3", "0 1 2", "3"},
		{"limit=2", "1 2", "3"},
		{"limit=1", "2", "3"},
		{"q=SES_1", "0", "1"},
		{"q=plain+text", "0", "1"},
		{"q=anthropic", "0", "1"},
		{"q=aa", "0", "1"},
		{"q=too_large", "1", "1"},
		{"q=probing", "1", "1"},
		{"q=123456789ABCDEF", "0 1 2", "3"},
		{"q=123456789abcdef&limit=1", "2", "3"},
		{"q=nothing", "", "0"},
	} {
		a := ask(pages.New(pages.Config{Memory: remembered()}, next), "GET", "/-/breakers?"+c.query)
		var got []string
		for _, part := range strings.Split(a.Body.String(), `"signature":"`)[1:] {
			got = append(got, part[:1])
		}
		if strings.Join(got, " ") != c.want || a.Header().Get("X-Matching-Count") != c.matching || a.Header().Get("X-Total-Count") != "3" || a.Header().Get("X-Held-Count") != "2" {
			t.Errorf("%s: %v %v, want %s", c.query, got, a.Header(), c.want)
		}
	}
	for _, query := range []string{"limit=0", "limit=-1", "limit=x", "limit=1e9"} {
		if a := ask(pages.New(pages.Config{Memory: remembered()}, next), "GET", "/-/breakers?"+query); a.Code != 400 {
			t.Errorf("%s: %d", query, a.Code)
		}
	}
}

// The newest are those that failed last, wherever they are in the list.
func TestLimitTakesTheNewest(t *testing.T) {
	t.Parallel()
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	m := &memory{{Signature: "1", Since: at(1), State: string(breaker.Open)}, {Signature: "3", Since: at(3), State: string(breaker.Open)}, {Signature: "2", Since: at(2), State: record.StateSubstituted}}
	if got := strings.Join(signatures(t, pages.New(pages.Config{Memory: m}, next), "?limit=2"), " "); got != "2 3" {
		t.Errorf("got %s", got)
	}
}

// BenchmarkList makes the page's own queries to a full memory.
func BenchmarkList(b *testing.B) {
	var m memory
	for i := range 10000 {
		m = append(m, record.Snapshot{Signature: fmt.Sprintf("%016x", i), Session: "0b6d7e0e-1111-4222-8333-944445555666", Protocol: "anthropic", Model: "the-model",
			Reason: "decode_failed", What: "51860 bytes, a PNG of 1280x720 pixels that is cut off", Items: []string{"0123456789abcdef"}, State: string(breaker.Open), Since: time.Unix(int64(i), 0)})
	}
	h := pages.New(pages.Config{Memory: unchanging{m}}, next)
	for _, query := range []string{"", "?limit=200", "?limit=200&q=999"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://"+host+"/-/breakers"+query, nil))
			}
		})
	}
}

// unchanging is a memory that forgets nothing.
type unchanging struct{ list memory }

func (u unchanging) Snapshot() []record.Snapshot         { return append([]record.Snapshot(nil), u.list...) }
func (u unchanging) Forget(func(string) bool) (int, int) { return 0, 0 }
