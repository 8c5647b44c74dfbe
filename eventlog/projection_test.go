package eventlog

import (
	"testing"
	"time"

	"imagebreaker/internal/record"
)

// TestNewEvent has a case for each event of an attempt.
func TestNewEvent(t *testing.T) {
	t.Parallel()
	entry := &record.Entry{Signature: "0123456789abcdef", Items: []string{"aaaa"}, Reason: record.DecodeFailed, Rejected: 2, Remaining: 29 * time.Second}
	inspected := &record.Request{Model: "m", Session: "s", Media: 3}
	const (
		head  = `{"time":"2026-03-04T12:00:00.005Z","event":"`
		on    = `","mode":"on","protocol":"anthropic","path":"/v1/messages"`
		q     = on + `,"model":"m","stream":false,"session_id":"s"`
		which = `,"signature":"0123456789abcdef","images":["aaaa"]`
		total = `,"images_total":3`
	)
	for _, c := range []struct {
		name   string
		bypass record.Bypass
		a      record.Attempt
		want   string // after the event's name
	}{
		{"", "", record.Attempt{Sent: true, Status: 200, ClientStatus: 200}, ""},
		{"short_circuited", "", record.Attempt{Rejected: entry, Reply: record.ReplyMessage, ClientStatus: 200},
			q + which + total + `,"verdict":"permanent","reason":"decode_failed","reply":"message","client_status":200,"held_count":2,"cool_off_remaining_ms":29000,"request_bytes":9,"duration_ms":3}`},
		{"would_short_circuit", "", record.Attempt{Rejected: entry, Sent: true, Status: 400, Error: record.HTTP4xx, Verdict: record.Permanent, Reason: record.EmptyImage, ClientStatus: 400},
			q + which + total + `,"verdict":"permanent","reason":"empty_image","status":400,"error_kind":"http_4xx","retry_decision":"non_retryable_client_media_error","reply":"upstream","client_status":400,"held_count":2,"cool_off_remaining_ms":29000,"request_bytes":9,"duration_ms":3}`},
		{"failure_recorded", "", record.Attempt{Recorded: entry, Sent: true, Status: 500, Error: record.HTTP5xx, Verdict: record.Suspect, Reason: record.Opaque, Reply: record.ReplyDowngraded, ClientStatus: 400, RequestID: "req_1"},
			q + which + total + `,"verdict":"suspect","reason":"opaque","status":500,"error_kind":"http_5xx","retry_decision":"non_retryable_client_media_error","reply":"downgraded","client_status":400,"request_bytes":9,"duration_ms":3,"request_id":"req_1"}`},
		{"repaired", "", record.Attempt{Sent: true, Status: 200, ClientStatus: 200, Placeholders: []record.Placeholder{
			{Sum: "aaaa", Signature: "0123456789abcdef", Reason: record.TooLarge}, {Sum: "bbbb", Signature: "f", Reason: record.Opaque, Unsure: true}}},
			q + `,"signature":"0123456789abcdef","images":["aaaa","bbbb"]` + total + `,"verdict":"suspect","reason":"too_large","status":200,"reply":"repaired","client_status":200,"request_bytes":9,"duration_ms":3}`},
		{"recovered", "", record.Attempt{Sent: true, Status: 200, ClientStatus: 200, Probed: []record.Entry{*entry}, Cleared: []record.Entry{*entry}},
			q + which + total + `,"verdict":"permanent","reason":"decode_failed","status":200,"reply":"upstream","client_status":200,"request_bytes":9,"duration_ms":3}`},
		{"probe_sent", "", record.Attempt{Sent: true, Status: 503, Error: record.HTTP5xx, Probed: []record.Entry{*entry}, ClientStatus: 503},
			q + which + total + `,"verdict":"permanent","reason":"decode_failed","status":503,"error_kind":"http_5xx","retry_decision":"retryable_http_5xx","reply":"upstream","client_status":503,"request_bytes":9,"duration_ms":3}`},
		{"upstream_error", "", record.Attempt{Sent: true, Status: 429, Error: record.HTTP4xx, ClientStatus: 429},
			q + total + `,"status":429,"error_kind":"http_4xx","retry_decision":"retryable_rate_limited","reply":"upstream","client_status":429,"request_bytes":9,"duration_ms":3}`},
		{"forwarded_unseen", record.NotJSON, record.Attempt{Sent: true, Status: 400, Error: record.HTTP4xx, ClientStatus: 400},
			on + `,"session_id":"none","reason":"not_json","status":400,"error_kind":"http_4xx","retry_decision":"non_retryable_http_4xx","reply":"upstream","client_status":400,"request_bytes":9,"duration_ms":3}`},
		{"upstream_error", record.BodyTooLarge, record.Attempt{Sent: true, Error: record.Network, ClientStatus: 502},
			on + `,"session_id":"none","reason":"body_too_large","error_kind":"network","retry_decision":"retryable_network","reply":"upstream","client_status":502,"request_bytes":9,"duration_ms":3}`},
	} {
		x := record.Exchange{Mode: "on", Protocol: "anthropic", Path: "/v1/messages", Start: noon.Add(-3 * time.Millisecond), Bytes: 9, Bypass: c.bypass, Request: inspected}
		if c.bypass != "" {
			x.Request = nil
		}
		e, ok := NewEvent(&x, &c.a, noon)
		got := string(e.JSON())
		if !ok {
			got = ""
		}
		if want := head + c.name + c.want; ok != (c.name != "") || ok && got != want {
			t.Errorf("%s: %v\n%s, want\n%s", c.name, ok, got, want)
		}
	}
}
