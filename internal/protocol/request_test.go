package protocol

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 5000)
	for in, want := range map[string]string{"": "", "ses_1": "ses_1", strings.Repeat("x", maxKept): strings.Repeat("x", maxKept)} {
		if got := bounded(in); got != want {
			t.Errorf("bounded(%q) = %q", in, got)
		}
	}
	for _, in := range []string{long, "x" + long, strings.Repeat("x", maxKept+1)} {
		got := bounded(in)
		if len(got) > maxKept || !utf8.ValidString(got) || !strings.HasPrefix(in, got[:20]) || got != bounded(in) {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
	if bounded(long+"a") == bounded(long+"b") {
		t.Error("two names have become one")
	}
}

// However a request names its session and its model, what is kept of the names
// is short, and two sessions stay two.
func TestLongNamesAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 1<<20)
	for _, c := range []struct {
		name, header, body string
	}{
		{"Claude Code", "X-Claude-Code-Session-Id", `{"model":"LONG"}`},
		{"header", "X-Session-Id", `{"model":"LONG"}`},
		{"cache key", "", `{"model":"LONG","prompt_cache_key":"LONG"}`},
		{"user id", "", `{"model":"LONG","metadata":{"user_id":"{\"session_id\":\"LONG\"}"}}`},
	} {
		scan := func(end string) *Request {
			h := http.Header{}
			if c.header != "" {
				h.Set(c.header, long+end)
			}
			r, err := Scan(chat{}, Call{}, h, []byte(strings.ReplaceAll(c.body, "LONG", long+end)), nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		a, b := scan("a"), scan("b")
		if len(a.Session) > maxKept || len(a.Model) > maxKept || a.Session == b.Session || a.Model == b.Model || a.Session == "" {
			t.Errorf("%s: %d bytes of session, %d of model, %q and %q", c.name, len(a.Session), len(a.Model), a.Session, b.Session)
		}
	}
}

func TestTooManyImages(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]error{maxImages: nil, maxImages + 1: ErrTooManyImages, 10 * maxImages: ErrTooManyImages} {
		body := `{"messages":[{"images":[""` + strings.Repeat(`,""`, n-1) + `]}]}`
		if _, err := Scan(ollamaChat{}, Call{}, nil, []byte(body), nil); !errors.Is(err, want) {
			t.Errorf("%d images: %v, want %v", n, err, want)
		}
	}
}
