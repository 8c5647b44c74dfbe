package eventlog

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func ms(d time.Duration) *Millis { return new(Millis(d)) }

var golden = []struct {
	event Event
	want  string
}{
	{
		Event{Event: "started", Mode: "on", Version: "v1.2.3", Address: "127.0.0.1:8788"},
		`"event":"started","mode":"on","version":"v1.2.3","address":"127.0.0.1:8788"`,
	},
	{
		Event{Event: "stopped", Mode: "on", Dropped: 3},
		`"event":"stopped","mode":"on","dropped":3`,
	},
	{
		Event{Event: "internal_error", Mode: "on", Protocol: "gemini", Path: "/v1beta/models/x", Detail: "panic in scan", SessionID: "none", Duration: ms(0)},
		`"event":"internal_error","mode":"on","protocol":"gemini","path":"/v1beta/models/x","session_id":"none","duration_ms":0,"detail":"panic in scan"`,
	},
	{
		Event{
			Event: "failure_recorded", Mode: "on", Protocol: "anthropic", Path: "/v1/messages", Model: "m", Stream: new(true), SessionID: "s",
			Signature: "0123456789abcdef", Images: []string{"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"}, ImagesTotal: 3, Verdict: "permanent",
			Reason: "decode_failed", Status: 400, ErrorKind: "http_4xx", RetryDecision: "non_retryable_client_media_error", Reply: "upstream",
			ClientStatus: 400, CoolOffRemaining: ms(30 * time.Second), RequestBytes: 1 << 33, Duration: ms(1999999 * time.Microsecond), RequestID: "req_1",
		},
		`"event":"failure_recorded","mode":"on","protocol":"anthropic","path":"/v1/messages","model":"m","stream":true,"session_id":"s",` +
			`"signature":"0123456789abcdef","images":["aaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbb"],"images_total":3,"verdict":"permanent",` +
			`"reason":"decode_failed","status":400,"error_kind":"http_4xx","retry_decision":"non_retryable_client_media_error","reply":"upstream",` +
			`"client_status":400,"cool_off_remaining_ms":30000,"request_bytes":8589934592,"duration_ms":1999,"request_id":"req_1"`,
	},
	{
		Event{Event: "upstream_error", Mode: "on", Protocol: "openai_chat", Stream: new(false), Status: 429, ErrorKind: "http_4xx", RetryDecision: "retryable_rate_limited", Duration: ms(0)},
		`"event":"upstream_error","mode":"on","protocol":"openai_chat","stream":false,"status":429,"error_kind":"http_4xx","retry_decision":"retryable_rate_limited","duration_ms":0`,
	},
	{
		Event{Event: "short_circuited", Mode: "on", Protocol: "ollama", Reply: "message", ClientStatus: 200, HeldCount: 1, CoolOffRemaining: ms(0), Duration: ms(0)},
		`"event":"short_circuited","mode":"on","protocol":"ollama","reply":"message","client_status":200,"held_count":1,"cool_off_remaining_ms":0,"duration_ms":0`,
	},
	{
		Event{Event: "would_short_circuit", Mode: "dry-run", Protocol: "ollama", HeldCount: 2, Duration: ms(0)},
		`"event":"would_short_circuit","mode":"dry-run","protocol":"ollama","held_count":2,"duration_ms":0`,
	},
	{
		Event{Event: "probe_sent", Protocol: "ollama", Status: 503, ErrorKind: "http_5xx", Duration: ms(0)},
		`"event":"probe_sent","protocol":"ollama","status":503,"error_kind":"http_5xx","duration_ms":0`,
	},
	{
		Event{Event: "recovered", Protocol: "ollama", Status: 200, Images: []string{}, Duration: ms(0)},
		`"event":"recovered","protocol":"ollama","status":200,"duration_ms":0`,
	},
	{
		Event{Event: "repaired", Protocol: "ollama", Reply: "repaired", Duration: ms(12 * time.Millisecond)},
		`"event":"repaired","protocol":"ollama","reply":"repaired","duration_ms":12`,
	},
	{
		Event{Event: "forwarded_unseen", Mode: "on", Path: "/v1/x", Reason: "too_large", Duration: ms(time.Second)},
		`"event":"forwarded_unseen","mode":"on","path":"/v1/x","reason":"too_large","duration_ms":1000`,
	},
	{ // fields about the process are omitted elsewhere
		Event{Event: "repaired", Version: "v", Address: "a", Detail: "free text", Dropped: 1},
		`"event":"repaired"`,
	},
	{ // strings from outside are escaped
		Event{Event: "recovered", Path: "/\n\"}{\\\x00\u2028", Model: "\xff"},
		`"event":"recovered","path":"/\n\"}{\\\u0000\u2028","model":"\ufffd"`,
	},
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, tt := range golden {
		t.Run(string(tt.event.Event), func(t *testing.T) {
			t.Parallel()
			tt.event.Time = Time{noon}
			want := `{"time":"2026-03-04T12:00:00.005Z",` + tt.want + "}\n"
			if diff := cmp.Diff(want, encoded(tt.event)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Observers show exactly what the log has.
func TestJSON(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	for _, c := range golden {
		c.event.Time = Time{at}
		if got, want := string(c.event.JSON()), `{"time":"2026-01-02T03:04:05.006Z",`+c.want+"}"; got != want {
			t.Errorf("%s\n%s, want\n%s", c.event.Event, got, want)
		}
	}
	hostile := Event{Time: Time{at}, Event: "recovered", Model: "a\r\n\ndata: b\xff"}
	if got := string(hostile.JSON()); strings.ContainsAny(got, "\r\n") || !utf8.ValidString(got) {
		t.Errorf("more than a line: %q", got)
	}
}

func TestTimeIsUTC(t *testing.T) {
	t.Parallel()
	tests := []struct {
		time time.Time
		want string
	}{
		{time.Date(2026, 1, 1, 1, 30, 0, 0, time.FixedZone("", 2*3600)), "2025-12-31T23:30:00.000Z"},
		{time.Date(2026, 1, 1, 0, 0, 0, 120_000_000, time.UTC), "2026-01-01T00:00:00.120Z"},
		{time.Date(2026, 1, 1, 0, 0, 59, 999_999_999, time.UTC), "2026-01-01T00:00:59.999Z"},
	}
	for _, tt := range tests {
		want := `{"time":"` + tt.want + `","event":"x"}` + "\n"
		if got := encoded(Event{Time: Time{tt.time}, Event: "x"}); got != want {
			t.Errorf("%v: %s, want %s", tt.time, got, want)
		}
	}
}

// filled returns an event with a value in every field. It uses reflection, so that
// no field that is added later is forgotten.
func filled(t *testing.T) Event {
	t.Helper()
	e := Event{Time: Time{noon.Truncate(time.Millisecond)}, Duration: ms(8 * time.Millisecond), Stream: new(true), CoolOffRemaining: ms(7 * time.Millisecond), Images: []string{"a", "b"}}
	v := reflect.ValueOf(&e).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("text of " + name)
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(1000 + i))
		default:
			if f.IsZero() {
				t.Fatalf("no value for field %s", name)
			}
		}
	}
	e.Event = "internal_error"
	return e
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	want := filled(t)
	for got, err := range Read(strings.NewReader(encoded(want))) {
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestFieldOrder(t *testing.T) {
	t.Parallel()
	want := strings.Fields(`time event mode protocol path model stream session_id signature images images_total verdict reason status
		error_kind retry_decision reply client_status held_count cool_off_remaining_ms request_bytes duration_ms request_id
		version address detail dropped`)
	var got []string
	for _, part := range strings.Split(encoded(filled(t)), `":`) {
		got = append(got, part[strings.LastIndexByte(part, '"')+1:])
	}
	if diff := cmp.Diff(want, got[:len(got)-1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFirstBytes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		n    int
		want string
	}{
		{"", 4, ""},
		{"abcd", 4, "abcd"},
		{"abcde", 4, "abcd"},
		{"abcé", 4, "abc"},
		{"abé", 4, "abé"},
		{"a€x", 4, "a€"},
		{"ab€", 4, "ab"},
		{"a😀", 4, "a"},
		{"😀😀", 4, "😀"},
		{"\x80\x80\x80\x80\x80\x80", 4, "\x80\x80\x80\x80"},
		{"\x80\x80\x80\x80\x80\x80", 1, "\x80"},
	}
	for _, tt := range tests {
		if got := firstBytes(tt.in, tt.n); got != tt.want {
			t.Errorf("firstBytes(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func TestLinesAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("€", 1<<20)
	e := Event{Time: Time{noon}, Event: "internal_error", Images: slices.Repeat([]string{"0123456789abcdef"}, 1<<20)}
	v := reflect.ValueOf(&e).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String && f.IsZero() {
			f.SetString(long)
		}
	}
	if n := len(encoded(e)); n > 64<<10 {
		t.Errorf("a line of %d bytes", n)
	}
	for got := range Read(strings.NewReader(encoded(e))) {
		if want := strings.Repeat("€", 256/3); got.Model != want || got.Path != want || got.SessionID != want {
			t.Errorf("model, path or session id were truncated to %d, %d, %d bytes", len(got.Model), len(got.Path), len(got.SessionID))
		}
		if len(got.Images) != 1024 || !utf8.ValidString(got.Detail) || len(got.Detail) != 4095 {
			t.Errorf("%d images, %d bytes of detail", len(got.Images), len(got.Detail))
		}
	}
}

func TestDetachCopies(t *testing.T) {
	t.Parallel()
	images := []string{"a", "b"}
	e := Event{Images: images, Model: strings.Repeat("m", 300), Path: "/short"}
	e.detach()
	images[0] = "changed"
	if e.Images[0] != "a" || len(e.Model) != 256 || e.Path != "/short" {
		t.Errorf("detached to %v, %d bytes of model, path %q", e.Images, len(e.Model), e.Path)
	}
}
