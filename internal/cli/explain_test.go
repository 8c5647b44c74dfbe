package cli

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"imagebreaker/internal/failure"
	"imagebreaker/internal/record"
)

func TestAnswersIn(t *testing.T) {
	t.Parallel()
	given := failure.Answer{Status: 500, ContentType: "text/plain"}
	body := func(s string) []failure.Answer {
		return []failure.Answer{{Status: 500, ContentType: "text/plain", Body: []byte(s)}}
	}
	entry := func(status int, contentType, s string) failure.Answer {
		return failure.Answer{Status: status, ContentType: contentType, Body: []byte(s)}
	}
	tests := []struct {
		name, in string
		want     []failure.Answer // nil: an error
	}{
		{"nothing", "", body("")},
		{"prose", "Could not process image", body("Could not process image")},
		{"an error", `{"error":{"message":"no"}}`, body(`{"error":{"message":"no"}}`)},
		{"an array", `[{"error":{}}]`, body(`[{"error":{}}]`)},
		{"a stream", "event: error\ndata: {}\n\n", body("event: error\ndata: {}\n\n")},
		{"a body alone", `{"body":"x"}`, body(`{"body":"x"}`)},
		{"a status alone", `{"status":400}`, body(`{"status":400}`)},
		{"nulls", `{"status":null,"body":null}`, body(`{"status":null,"body":null}`)},
		{"a status in words", `{"status":"error","body":"x"}`, body(`{"status":"error","body":"x"}`)},
		{"a body of objects", `{"status":400,"body":{}}`, body(`{"status":400,"body":{}}`)},
		{"an entry", `{"status":400,"body":"x"}`, []failure.Answer{entry(400, "", "x")}},
		{"an entry's media type", `{"status":400,"body":"x","content_type":"text/html"}`, []failure.Answer{entry(400, "text/html", "x")}},
		{"a stream's entry", `{"status":200,"body":"x","sse":true}`, []failure.Answer{entry(200, "text/event-stream", "x")}},
		{"another stream's", `{"status":200,"body":"x","sse":true,"content_type":"application/vnd.amazon.eventstream"}`,
			[]failure.Answer{entry(200, "application/vnd.amazon.eventstream", "x")}},
		{"an empty entry", `{"status":0,"body":""}`, []failure.Answer{entry(0, "", "")}},
		{"an entry on many lines", "{\n \"status\": 400,\n \"body\": \"x\"\n}\n", []failure.Answer{entry(400, "", "x")}},
		{"a byte order mark", "\uFEFF{\"status\":400,\"body\":\"x\"}\r\n", []failure.Answer{entry(400, "", "x")}},
		{"a mark before a body", "\uFEFFx", body("\uFEFFx")},
		{"two entries", "{\"status\":400,\"body\":\"x\"}\n\n{\"id\":7,\"status\":401,\"body\":\"y\"}", []failure.Answer{entry(400, "", "x"), entry(401, "", "y")}},
		{"a damaged second", "{\"status\":400,\"body\":\"x\"}\n{\"status\":400,\"bo", nil},
		{"another second", "{\"status\":400,\"body\":\"x\"}\n{\"error\":{}}", nil},
		{"prose behind", "{\"status\":400,\"body\":\"x\"} and so on", nil},
	}
	for _, tt := range tests {
		got, err := answersIn([]byte(tt.in), given)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.want != nil) {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

func TestHTTPStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want int // 0: an error
	}{
		{"100", 100}, {"400", 400}, {"599", 599},
		{"99", 0}, {"600", 0}, {"0", 0}, {"-400", 0}, {"", 0}, {"4e2", 0}, {"many", 0},
	}
	for _, tt := range tests {
		got := 0
		if err := httpStatus(tt.in, &got); got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("httpStatus(%q) = %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
}

func TestRetryOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		verdict record.Verdict
		reason  record.Reason
		want    string
	}{
		{record.Permanent, "decode_failed", "in vain: this item"},
		{record.Permanent, "policy", "in vain: this item"},
		{record.Permanent, "fetch_4xx", "in vain with this address"},
		{record.Permanent, "too_many_media", "in vain with these items together"},
		{record.Permanent, "unsupported_by_model", "in vain with this model"},
		{record.Suspect, "opaque", "once"},
		{record.Suspect, "fetch_throttled", "in vain with this address"},
		{record.None, "overloaded", "later: only time"},
		{record.None, "rate_limit", "later and more slowly"},
		{record.None, "schema", "no item is to blame"},
		{record.None, "policy", "no item is to blame"}, // a refused prompt
		{record.None, "model_text", "no item is to blame"},
		{record.None, "silent_empty", "no item is to blame"},
		{record.None, "never heard of", "no item is to blame"},
	}
	for _, tt := range tests {
		if got := retryOf(failure.Judgement{Verdict: tt.verdict, Reason: tt.reason}); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.verdict, tt.reason, got, tt.want)
		}
	}
}

// sampleOf is every tenth line of a corpus: package failure judges all of them.
func sampleOf(t *testing.T, name string) string {
	t.Helper()
	path, err := testdata("failure", name)
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(string(corpus)) {
		if n%10 == 0 {
			b.WriteString(line)
		}
		n++
	}
	return b.String()
}

// TestExplainIsJudge: what the command prints of a corpus must be what the
// proxy would find, line by line.
func TestExplainIsJudge(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"upstream-errors.jsonl", "more-errors.jsonl"} {
		corpus := sampleOf(t, name)
		got := call(corpus, "explain", "--json")
		results := strings.SplitAfter(got.stdout, "\n")
		if got.code != exitOK || got.stderr != "" || len(results) != strings.Count(corpus, "\n")+1 || len(results) < 20 {
			t.Fatalf("%s: exit %d, stderr %q, %d results", name, got.code, got.stderr, len(results))
		}
		n := 0
		for line := range strings.Lines(corpus) {
			var c captured
			var o explained
			if err := errors.Join(json.Unmarshal([]byte(line), &c), json.Unmarshal([]byte(results[n]), &o)); err != nil {
				t.Fatalf("%s, %q: %v", line, results[n], err)
			}
			j := failure.Judge(failure.Answer{Status: *c.Status, ContentType: c.ContentType, Body: []byte(*c.Body)})
			if o.Verdict != j.Verdict || o.Reason != j.Reason || o.PointsAt != j.PointsAt || o.Rule != j.Rule || o.Layers == nil || !slices.Equal(o.Layers, j.Layers) {
				t.Errorf("%s: %+v, want %+v", line, o, j)
			}
			n++
		}
	}
}

func FuzzExplain(f *testing.F) {
	for _, s := range []string{
		"", "Could not process image", `{"error":{"message":"messages.4.content.1.image.source.base64: Could not process image"}}`,
		`{"status":400,"body":"{}"}`, "{\"status\":400,\"body\":\"x\"}\n{\"status\":200,\"body\":\"event: error\\ndata: {}\\n\\n\",\"sse\":true}",
		"{\"status\":400,\"body\":\"x\"}\n{", "event: error\ndata: {\"error\":\"https://a.test/b.png\"}\n\n", "<html>", "\uFEFF[1]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) {
		got := call(input, "explain", "--json")
		people := call(input, "explain")
		if people.code != got.code || people.stderr != got.stderr {
			t.Errorf("exit %d, %q; with --json %d, %q", people.code, people.stderr, got.code, got.stderr)
		}
		if got.code != exitOK {
			if !got.isMistake("imagebreaker: explain: -: entry ") {
				t.Errorf("exit %d, stdout %q, stderr %q", got.code, got.stdout, got.stderr)
			}
			return
		}
		for line := range strings.Lines(got.stdout) {
			var o explained
			if err := json.Unmarshal([]byte(line), &o); err != nil || o.Verdict == "" || o.Reason == "" || o.Rule == "" || o.Layers == nil {
				t.Errorf("%q: %v", line, err)
			}
		}
		if got.stdout == "" || strings.Contains(people.stdout, "://") || strings.ContainsAny(people.stdout, "\x1b\r") {
			t.Errorf("stdout %q and %q", got.stdout, people.stdout)
		}
	})
}
