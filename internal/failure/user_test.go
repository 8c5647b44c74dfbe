package failure

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"imagebreaker/internal/record"
)

// mustRules parses rules that are right.
func mustRules(tb testing.TB, file string) Rules {
	tb.Helper()
	r, err := ParseRules([]byte(file))
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func exampleRules(tb testing.TB) Rules {
	tb.Helper()
	data, err := os.ReadFile("../../testdata/failure/rules.json")
	if err != nil {
		tb.Fatal(err)
	}
	return mustRules(tb, string(data))
}

// judgedByUser are answers to the rules of the example file.
var judgedByUser = []struct {
	status  int
	body    string
	verdict record.Verdict
	reason  record.Reason
	rule    string
	builtIn record.Verdict // without the rules
}{
	// a none turned permanent
	{403, `{"error":{"message":"Attachment blocked by scanner (code 17)"}}`, record.Permanent, "policy", "virus scanner", record.None},
	{502, `Attachment blocked by scanner (code 17)`, record.Permanent, "policy", "virus scanner", record.None},
	// a status or a letter's case that the rule is not for
	{400, `{"error":{"message":"Attachment blocked by scanner (code 17)"}}`, record.None, "schema", "status-4xx", record.None},
	{403, `{"error":{"message":"attachment blocked by scanner (code 17)"}}`, record.None, "missing_header", "status-auth", record.None},
	{0, `{"error":{"message":"Attachment blocked by scanner (code 17)"}}`, record.None, "server_error", "status-5xx", record.None},
	// the status on the wire counts, not the one inside
	{400, `{"error":{"message":"Attachment blocked by scanner (code 17)","code":403}}`, record.None, "missing_header", "status-auth", record.None},
	// a permanent turned none
	{400, `{"error":{"message":"Could not process image: renderer is restarting"}}`, record.None, "user_rule", "thumbnails restarting", record.Permanent},
	{400, "{\"error\":{\"message\":\"Could not process image:\\n  the renderer\\tis restarting\"}}", record.None, "user_rule", "thumbnails restarting", record.Permanent},
	{400, `{"error":{"message":"Could not process image"}}`, record.Permanent, "decode_failed", "decode", record.Permanent},
	// before a veto, and no second thoughts for a status that asks for patience
	{503, `{"error":{"message":"Rate limit reached. Attachment blocked by scanner (code 17)"}}`, record.None, "rate_limit", "rate", record.None},
	{503, `{"error":{"message":"Attachment blocked by scanner (code 17). Rate limit reached"}}`, record.Permanent, "policy", "virus scanner", record.None},
	{422, `{"error":{"message":"messages.3.content.1.image.source.base64: E_PIC_114","code":"bad_picture"}}`, record.Suspect, "decode_failed", "decoder of the old cluster", record.Permanent},
	// what a relay wrote around the message
	{422, `{"error":{"message":"E_PIC_114 upstream said {\"error\":{\"message\":\"no luck\"}}"}}`, record.Suspect, "decode_failed", "decoder of the old cluster", record.None},
	{415, `{"detail":"slides may have no pictures"}`, record.Permanent, "unsupported_by_model", "user rule 4", record.None},
	// an error inside a 200
	{200, `{"error":{"message":"E_PIC_114"}}`, record.Suspect, "decode_failed", "decoder of the old cluster", record.None},
	{200, "event: error\ndata: {\"error\":{\"message\":\"E_PIC_114\"}}\n\n", record.Suspect, "decode_failed", "decoder of the old cluster", record.None},
	// a stream's frame in an answer that has failed
	{403, "event: error\ndata: {\"error\":{\"message\":\"Attachment blocked by scanner (code 1)\"}}\n\n", record.Permanent, "policy", "virus scanner", record.None},
}

func TestUserRules(t *testing.T) {
	t.Parallel()
	rules := exampleRules(t)
	for _, c := range judgedByUser {
		a := Answer{Status: c.status, Body: []byte(c.body)}
		j := rules.Judge(a)
		if j.Verdict != c.verdict || j.Reason != c.reason || j.Rule != c.rule {
			t.Errorf("%d %s: %s %s by %q, want %s %s by %q", c.status, c.body, j.Verdict, j.Reason, j.Rule, c.verdict, c.reason, c.rule)
		}
		if b := Judge(a); b.Verdict != c.builtIn {
			t.Errorf("%d %s: %s by %s without the rules, want %s", c.status, c.body, b.Verdict, b.Rule, c.builtIn)
		}
	}
}

// A user's rule changes who decides, and nothing else of what the engine finds.
func TestUserRulesKeepTheRest(t *testing.T) {
	t.Parallel()
	rules := mustRules(t, `[{"name":"mine","match":".","verdict":"permanent","reason":"too_many_media"}]`)
	for name, body := range map[string]string{
		"pointer": `{"error":{"message":"messages.3.content.1.image.source.base64: E_PIC_114","code":"bad_picture"}}`,
		"layers":  `{"error":{"message":"relay: {\"error\":{\"message\":\"no luck\",\"type\":\"x\"}}"}}`,
		"limit":   `{"error":{"message":"At most 3 image(s) may be provided in one request."}}`,
		"url":     `{"error":{"message":"cannot identify image file of https://h.example.test/a.png"}}`,
	} {
		a := Answer{Status: 400, Body: []byte(body)}
		got, want := rules.Judge(a), Judge(a)
		want.Verdict, want.Reason, want.Rule = record.Permanent, "too_many_media", "mine"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// The first rule that holds decides.
func TestUserRulesOrder(t *testing.T) {
	t.Parallel()
	const wide, narrow = `{"name":"wide","match":"picture","verdict":"none"}`, `{"name":"narrow","match":"bad picture","verdict":"permanent","reason":"x"}`
	a := Answer{Status: 400, Body: []byte(`{"error":"bad picture"}`)}
	for file, want := range map[string]string{"[" + wide + "," + narrow + "]": "wide", "[" + narrow + "," + wide + "]": "narrow"} {
		if j := mustRules(t, file).Judge(a); j.Rule != want {
			t.Errorf("%s: by %s, want %s", file, j.Rule, want)
		}
	}
}

// A user's suspicion stands where a built-in one would be dropped.
func TestUserRulesPassingStatus(t *testing.T) {
	t.Parallel()
	rules := mustRules(t, `[{"name":"mine","match":"Failed to download image","verdict":"suspect","reason":"opaque"}]`)
	a := Answer{Status: 503, Body: []byte(`{"error":"Failed to download image."}`)}
	if j, b := rules.Judge(a), Judge(a); j.Verdict != record.Suspect || j.Rule != "mine" || b.Verdict != record.None {
		t.Errorf("%s by %s, built-in %s by %s", j.Verdict, j.Rule, b.Verdict, b.Rule)
	}
}

// Without rules everything is as the built-in ones have it.
func TestNoUserRules(t *testing.T) {
	t.Parallel()
	rules := mustRules(t, `[{"match":"no upstream says this","verdict":"none"}]`)
	for _, h := range hits {
		if diff := cmp.Diff(h.judge(standard()), h.judge(new(rules.engine()))); diff != "" {
			t.Errorf("%q: -built-in +rules\n%s", h.message, diff)
		}
	}
	for _, rules := range []Rules{nil, rules} {
		for _, f := range frames {
			want, _ := JudgeEvent(f.event, []byte(f.data))
			got, ok := rules.JudgeEvent(f.event, []byte(f.data))
			if diff := cmp.Diff(want, got); !ok || diff != "" {
				t.Errorf("%s: %v, -built-in +rules\n%s", f.name, ok, diff)
			}
		}
	}
}

// everything is a rule that holds for whatever it is asked about.
const everything = `[{"name":"everything","match":"(?s).*","verdict":"permanent","reason":"decode_failed"}]`

func TestUserRulesInStreams(t *testing.T) {
	t.Parallel()
	rules := mustRules(t, everything)
	for _, f := range frames {
		j, ok := rules.JudgeEvent(f.event, []byte(f.data))
		if want := j.Message != ""; !ok || (j.Rule == "everything") != want {
			t.Errorf("%s: %v %q by %s", f.name, ok, j.Message, j.Rule)
		}
	}
	only200 := mustRules(t, `[{"name":"in a stream","status":[200],"match":"^Overloaded$","verdict":"suspect","reason":"x"}]`)
	if j, _ := only200.JudgeEvent("error", []byte(`{"error":{"message":"Overloaded"}}`)); j.Rule != "in a stream" {
		t.Errorf("by %s", j.Rule)
	}
}

// No rule makes a failure of what is none, or of what has no words.
func TestUserRulesAreNotAsked(t *testing.T) {
	t.Parallel()
	rules := mustRules(t, everything)
	for _, data := range []string{
		`{"type":"content_block_delta","delta":{"text":"error: Could not process image"}}`,
		`{"choices":[{"delta":{"content":"the error was: Invalid image."}}],"error":null}`,
		`{"choices":[{"message":{"content":"{\"error\":{\"message\":\"Invalid image.\"}}"}}]}`,
		`{"type":"response.completed","response":{"error":null,"output":[{"text":"error"}]}}`,
		`{"candidates":[{"content":{"parts":[{"text":"error: Provided image is not valid."}]}}]}`,
		`{"input_tokens":12}`, `error`, ``,
	} {
		if j, ok := rules.JudgeEvent("", []byte(data)); ok {
			t.Errorf("event %s: %s by %s", data, j.Verdict, j.Rule)
		}
		for _, status := range []int{200, 201, 204} {
			for _, body := range []string{data, "data: " + data + "\n\n", "event: message\ndata: " + data + "\n\ndata: [DONE]\n\n"} {
				if j := rules.Judge(Answer{Status: status, Body: []byte(body)}); j.Verdict != record.None || j.Rule == "everything" {
					t.Errorf("%d %s: %s by %s", status, body, j.Verdict, j.Rule)
				}
			}
		}
	}
	for _, body := range []string{"", " \n", `{"error":{"message":""}}`, `{"error":null}`, `{"type":"x","output":"words"}`, "<!DOCTYPE html><html><body>picture</body></html>"} {
		if j := rules.Judge(Answer{Status: 400, Body: []byte(body)}); j.Verdict != record.None || j.Rule == "everything" {
			t.Errorf("%s: %s by %s", body, j.Verdict, j.Rule)
		}
	}
}

// What the client wrote holds no rule, wherever an upstream repeats it.
func TestUserRulesSeeNoEchoes(t *testing.T) {
	t.Parallel()
	rules := mustRules(t, `[{"name":"mine","match":"(?i)zebra","verdict":"permanent","reason":"decode_failed"}]`)
	w := quoteJSON("the zebra, 404 ZEBRA")
	bodies := []string{
		`{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":` + w + `}]}`,
		`{"error":{"message":"Your input was flagged","code":403,"metadata":{"reasons":["misc"],"flagged_input":` + w + `}}}`,
		`{"error":{"message":"Extra inputs are not permitted"},"request":{"messages":[{"content":` + w + `}]}}`,
		`{"messages":[{"role":"user","content":` + w + `}]}`,
	}
	for _, message := range []string{
		`Failed to parse messages: Missing 'role' field; messages = [{"x":"zebra"}]`,
		"Extra inputs are not permitted. Received Model Group=zebra\nAvailable Model Group Fallbacks=None",
		"An exception occurred while loading AUDIO data at index 0: Error while loading data b'zebra': no",
		`Bad body {"messages":[{"role":"user","content":"zebra"}]} here`,
		"Bad value 'data:text/plain;base64,zebra+zebra'",
		"1 validation error for Request\nmodel\n  Field required [type=missing, input_value='zebra', input_type=dict]",
		`Refused, "flagged_input":"zebra"`,
		"does not match any of the expected tags: 'image', 'zebra'.",
		`Bad value "` + strings.Repeat("zebra ", 60) + `" here`,
		"404 Client Error: Not Found for url: https://zebra.example.test/zebra.png?zebra=1",
		"invalid image content: zebra",
	} {
		bodies = append(bodies, `{"error":{"message":`+quoteJSON(message)+`}}`,
			`{"error":{"message":`+quoteJSON(message+` {"error":{"message":"no luck"}}`)+`}}`)
	}
	for _, body := range bodies {
		if j := rules.Judge(Answer{Status: 400, Body: []byte(body)}); j.Rule == "mine" {
			t.Errorf("%s: holds", body)
		}
	}
	if j := rules.Judge(Answer{Status: 400, Body: []byte(`{"error":{"message":"A Zebra broke it"}}`)}); j.Rule != "mine" {
		t.Errorf("the upstream's own word: by %s", j.Rule)
	}
}

// An answer that has failed keeps its status when its body is a stream.
func TestStreamOfFailedAnswer(t *testing.T) {
	t.Parallel()
	const body = "event: error\ndata: {\"error\":{\"message\":\"no\"}}\n\n"
	for status, want := range map[int]record.Reason{0: "server_error", 200: "server_error", 400: "schema", 429: "rate_limit", 529: "overloaded"} {
		if j := Judge(Answer{Status: status, Body: []byte(body)}); j.Verdict != record.None || j.Reason != want {
			t.Errorf("%d: %s %s, want none %s", status, j.Verdict, j.Reason, want)
		}
	}
}

func BenchmarkUserRulesDelta(b *testing.B) {
	rules := exampleRules(b)
	delta := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"the next few words of the answer"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := rules.JudgeEvent("content_block_delta", delta); ok {
			b.Fatal("a delta was taken for an error")
		}
	}
}

// The most rules that a file may have, over the longest message.
func BenchmarkThousandRules(b *testing.B) {
	rule := `{"match":"(?i)picture [^.]{0,40}(?:broken|refused) by .*(?:scanner|decoder)$","verdict":"none"}`
	rules := mustRules(b, "["+strings.Repeat(rule+",", maxRules-1)+rule+"]")
	body := []byte(`{"error":"` + strings.Repeat("the picture was not broken by us; ", 1000) + `"}`)
	for b.Loop() {
		rules.Judge(Answer{Status: 400, Body: body})
	}
}
