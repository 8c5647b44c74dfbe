package proxy_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
)

// An HTML page saved as cover.jpg and read by a tool: one upload, whoever asks.
func TestRepeatIsAnsweredAsATurn(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprint(api, stream), func(t *testing.T) {
				t.Parallel()
				p := page("image/jpeg")
				r := start(t, fakeapi.Refusing(p.needle()), style(policy.Message))
				c := read(api, stream, "cover.jpg", p)
				r.passed(c, session(1)...).untouched(t, fakeapi.BadImage(api))
				text := r.rejected(c, session(1)...).turn(t, c)
				for _, want := range []string{"cover.jpg", fmt.Sprintf("%d bytes", len(p.data)), "HTML", p.sum().Short(), "not sent"} {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not in %s", want, text)
					}
				}
				es := r.wantEvents("failure_recorded", "short_circuited")
				f, s := es[0], es[1]
				wantImages(t, f, p)
				wantImages(t, s, p)
				if f.Verdict != "permanent" || f.Status != 400 || f.ErrorKind != "http_4xx" || f.RetryDecision != "non_retryable_client_media_error" || f.Reply != "upstream" || f.ClientStatus != 400 || f.RequestID != "req_fake" || f.SessionID != "ses_1" || f.ImagesTotal != 1 {
					t.Errorf("failure: %+v", f)
				}
				if s.Signature != f.Signature || s.Reply != "message" || s.ClientStatus != 200 || s.HeldCount != 1 || s.CoolOffRemaining == nil || s.Status != 0 || s.RequestID != "" || s.RequestBytes != int64(len(c.body())) {
					t.Errorf("short-circuited: %+v", s)
				}
			})
		}
	}
}

// The message goes on, the image is still in it: no second upload.
func TestLaterTurnInMessageStyle(t *testing.T) {
	t.Parallel()
	p := page("image/jpeg")
	r := start(t, fakeapi.Refusing(p.needle()), style(policy.Message))
	c := read(fakeapi.Anthropic, true, "cover.jpg", p)
	r.passed(c, session(1)...)
	later := c.then("never mind, go on")
	r.rejected(later, session(1)...).turn(t, later)
}

func TestDocument(t *testing.T) {
	t.Parallel()
	d, a, b := pdf(), good(), good()
	refused := fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.4.content.0.pdf.source.base64.data: The PDF specified is password protected."}}`)
	r := start(t, func(q fakeapi.Request) fakeapi.Answer {
		if strings.Contains(string(q.Body), d.needle()) {
			return refused
		}
		return fakeapi.Refusing()(q)
	}, style(policy.Message))
	c := talk{api: fakeapi.Anthropic, turns: []any{a, said("a"), b, said("b"), d}}
	r.passed(c, claude(1)...)
	if text := r.rejected(c, claude(1)...).turn(t, c); !strings.Contains(text, "document") {
		t.Errorf("%q does not say that it is a document", text)
	}
	c.turns[4] = "without it"
	r.passed(c, claude(1)...)
	es := r.wantEvents("failure_recorded", "short_circuited")
	wantImages(t, es[0], d)
	if !strings.HasPrefix(string(es[0].Reason), "pdf") {
		t.Errorf("reason %s", es[0].Reason)
	}
}

// A file that was repaired has new bytes: it goes up at once.
func TestRepairedFilePasses(t *testing.T) {
	t.Parallel()
	bad := pointer()
	r := start(t, fakeapi.Refusing(bad.needle()), nil)
	c := ask(fakeapi.Anthropic, true, bad)
	r.passed(c, session(1)...)
	r.rejected(c, session(1)...)
	r.passed(ask(fakeapi.Anthropic, true, good()), session(1)...)
	r.rejected(c, session(1)...)
}

// Six images, and the error points at one: the others stay usable.
func TestOnlyTheNamedImageIsAttributed(t *testing.T) {
	t.Parallel()
	var ps []picture
	for range 6 {
		ps = append(ps, good())
	}
	bad := &ps[3]
	bad.label = "image/jpeg"
	c := talk{api: fakeapi.Anthropic, stream: true, turns: []any{file{"shots", ps}}}
	refused := fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0.tool_result.content.3.image.source.base64.data: Image does not match the provided media type image/jpeg"}}`)
	r := start(t, fakeapi.InTurn(refused, fakeapi.Success(fakeapi.Anthropic, true, "ok")), style(policy.Message))
	r.passed(c, session(1)...)
	others := talk{api: fakeapi.Anthropic, stream: true, turns: []any{file{"shots", slices.Delete(slices.Clone(ps), 3, 4)}}}
	r.passed(others, session(1)...)
	alone := ask(fakeapi.Anthropic, true, *bad)
	r.rejected(alone, session(1)...)
	es := r.wantEvents("failure_recorded", "short_circuited")
	wantImages(t, es[0], *bad)
	if es[0].Reason != "media_type_mismatch" || es[0].ImagesTotal != 6 {
		t.Errorf("%+v", es[0])
	}
}

// Two images went well before: a failure that names none is the third's.
func TestElimination(t *testing.T) {
	t.Parallel()
	a, b, bad := good(), good(), good()
	r := start(t, fakeapi.Refusing(bad.needle()), style(policy.Message))
	r.passed(ask(fakeapi.Anthropic, true, a, b), session(1)...)
	r.passed(ask(fakeapi.Anthropic, true, a, b, bad), session(1)...)
	r.passed(ask(fakeapi.Anthropic, true, a, b), session(1)...)
	r.rejected(ask(fakeapi.Anthropic, true, b, bad), session(1)...)
	wantImages(t, r.wantEvents("failure_recorded", "short_circuited")[0], bad)
}

func TestAllOfSeveralUnknown(t *testing.T) {
	t.Parallel()
	a, b := good(), good()
	r := start(t, fakeapi.InTurn(fakeapi.BadImage(fakeapi.Anthropic), fakeapi.Success(fakeapi.Anthropic, true, "ok")), nil)
	r.passed(ask(fakeapi.Anthropic, true, a, b), session(1)...)
	r.passed(ask(fakeapi.Anthropic, true, b), session(1)...)
	wantImages(t, r.wantEvents("failure_recorded")[0], a, b)
}

func TestInspectionShowsTheBrokenOne(t *testing.T) {
	t.Parallel()
	bad := page("image/png")
	r := start(t, fakeapi.Refusing(bad.needle()), nil)
	r.passed(ask(fakeapi.Anthropic, true, good(), bad, good()), session(1)...)
	wantImages(t, r.wantEvents("failure_recorded")[0], bad)
}

// Another's label that is wrong does not make it too large.
func TestInspectionDoesNotTellALimit(t *testing.T) {
	t.Parallel()
	mislabelled, big := good(), good()
	mislabelled.label = "image/jpeg"
	bad := fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"image exceeds 5 MB maximum: 7000000 bytes > 5242880 bytes"}}`)
	r := start(t, fakeapi.Always(bad), nil)
	r.passed(ask(fakeapi.Anthropic, true, mislabelled, big), claude(1)...).untouched(t, bad)
	wantImages(t, r.wantEvents("failure_recorded")[0], mislabelled, big)
}

// The numbers in a text about a limit tell whose it is.
func TestALimitNamesItsImage(t *testing.T) {
	t.Parallel()
	small, big := good(), good()
	big.data = append(big.data, make([]byte, 1234)...)
	for _, message := range []string{
		fmt.Sprintf("image exceeds 5 MB maximum: %d bytes > 5242880 bytes", len(big.data)),
		fmt.Sprintf("image exceeds 5 MB maximum: %d bytes > 5242880 bytes", len(big.b64())),
	} {
		r := start(t, fakeapi.Always(fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"`+message+`"}}`)), nil)
		r.passed(ask(fakeapi.Anthropic, true, small, big), session(1)...)
		wantImages(t, r.wantEvents("failure_recorded")[0], big)
	}
}

// An invented id would be a dead end for a client that goes on by it.
func TestChainedResponses(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Responses, true, p)
	body := strings.Replace(c.body(), `{`, `{"previous_response_id":"resp_1",`, 1)
	r.send(c.path(), body, session(1)...)
	r.send(c.path(), body, session(1)...).refusal(t)
}

// Nothing of a prefix or of an odd request id gets into the log.
func TestLogHoldsNoStrangersText(t *testing.T) {
	t.Parallel()
	bad := fakeapi.BadImage(fakeapi.Anthropic)
	bad.Header.Set("Request-Id", "see https://user:pw@host/x?key=sk-secret")
	r := start(t, fakeapi.Always(bad), nil)
	r.send("/gw/sk-live-SECRETKEY/https://user:pw@api.host/v1/messages", ask(fakeapi.Anthropic, true, cut()).body())
	r.send("/openai/deployments/SECRET/chat/completions", ask(fakeapi.Chat, true, cut()).body())
	es := r.events()
	if es[0].Path != "/v1/messages" || es[0].RequestID != "" || es[1].Path != "/chat/completions" {
		t.Errorf("%+v", es)
	}
}

// An endless nest of results costs no more than any other body.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	p := cut()
	part := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + p.b64() + `"}}`
	body := part
	for range 2000 {
		body = `{"type":"tool_result","tool_use_id":"t","content":[` + part + `,` + body + `]}`
	}
	body = `{"model":"m","messages":[{"role":"user","content":[` + body + `]}]}`
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	r.send("/v1/messages", body, session(1)...)
	if e := r.wantEvents("failure_recorded")[0]; e.ImagesTotal > 20 {
		t.Errorf("%d images were followed", e.ImagesTotal)
	}
}

func TestEmptyImage(t *testing.T) {
	t.Parallel()
	p := picture{kind: "image", label: "image/png"}
	refused := fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0.image.source.base64: image cannot be empty"}}`)
	r := start(t, fakeapi.Always(refused), nil)
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...)
	r.rejected(c, session(1)...).turn(t, c)
	if es := r.wantEvents("failure_recorded", "short_circuited"); es[0].Reason != "empty_image" {
		t.Errorf("reason %s", es[0].Reason)
	}
}

// After the cool-off one request goes up as a probe.
func TestProbe(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...)
	r.clock.advance(29 * time.Second)
	r.rejected(c, session(1)...)
	r.clock.advance(31 * time.Second)
	r.passed(c, session(1)...)
	r.rejected(c, session(1)...)
	r.api.Play(fakeapi.Refusing())
	r.clock.advance(31 * time.Second)
	r.passed(c, session(1)...)
	r.passed(c, session(1)...)
	es := r.wantEvents("failure_recorded", "short_circuited", "failure_recorded", "short_circuited", "recovered")
	if es[4].Signature != es[0].Signature {
		t.Errorf("recovered: %+v", es[4])
	}
}

func TestOneProbeAndTheRestRejected(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...)
	r.clock.advance(31 * time.Second)
	open := make(chan struct{})
	slow := fakeapi.BadImage(fakeapi.Anthropic)
	slow.Before = open
	arrived := make(chan struct{}, 1)
	r.api.Play(func(fakeapi.Request) fakeapi.Answer { arrived <- struct{}{}; return slow })
	var wg sync.WaitGroup
	wg.Go(func() { r.post(c, session(1)...) })
	<-arrived
	for range 5 {
		r.rejected(c, session(1)...)
	}
	close(open)
	wg.Wait()
	if n := len(r.api.Requests()); n != 2 {
		t.Errorf("%d uploads, want the first and one probe", n)
	}
}

// A storm every 20 s for five minutes is one upload; max-hold ends that.
func TestStorm(t *testing.T) {
	t.Parallel()
	for maxHold, uploads := range map[time.Duration]int{0: 1, 2 * time.Minute: 3} {
		p := cut()
		r := start(t, fakeapi.Refusing(p.needle()), func(c *proxy.Config) { c.MaxHold = maxHold })
		c := ask(fakeapi.Chat, true, p)
		for range 15 {
			r.post(c, session(1)...)
			r.clock.advance(20 * time.Second)
		}
		if n := len(r.api.Requests()); n != uploads {
			t.Errorf("max-hold %s: %d uploads, want %d", maxHold, n, uploads)
		}
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), func(c *proxy.Config) { c.Mode = policy.DryRun })
	c := ask(fakeapi.Anthropic, true, p)
	want := []string{"failure_recorded"}
	for i := range 19 {
		r.passed(c, claude(1)...).untouched(t, fakeapi.BadImage(fakeapi.Anthropic))
		if i > 0 {
			want = append(want, "would_short_circuit")
		}
	}
	es := r.wantEvents(want...)
	if e := es[18]; e.HeldCount != 18 || e.RequestBytes != int64(len(c.body())) || e.ClientStatus != 400 || e.Mode != "dry-run" || e.Signature != es[0].Signature {
		t.Errorf("%+v", e)
	}
}

// What dry-run lets through ages as if it had been short-circuited.
func TestDryRunKeepsTheTimeOfMaxHold(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), func(c *proxy.Config) { c.Mode, c.MaxHold = policy.DryRun, time.Minute })
	c := ask(fakeapi.Anthropic, true, p)
	for range 5 {
		r.passed(c, session(1)...)
		r.clock.advance(20 * time.Second)
	}
	r.wantEvents("failure_recorded", "would_short_circuit", "would_short_circuit", "failure_recorded", "would_short_circuit")
}

func TestOff(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), func(c *proxy.Config) { c.Mode, c.Log = policy.Off, nil })
	c := ask(fakeapi.Anthropic, true, p)
	for range 3 {
		r.passed(c, claude(1)...).untouched(t, fakeapi.BadImage(fakeapi.Anthropic))
	}
	bad := fakeapi.JSON(500, `{"error":{"message":"image file is truncated (12 bytes not processed)"}}`)
	r.api.Play(fakeapi.Always(bad))
	r.passed(ask(fakeapi.Chat, false, p)).untouched(t, bad)
	r.wantEvents()
}

// An engine that says 500 for a dead URL: the client gets a 400 without the
// URL, and the upstream is left alone.
func TestPermanentServerErrorIsDowngraded(t *testing.T) {
	t.Parallel()
	p := remote("https://media.example.test/private/cat.png?sig=SECRET")
	bad := fakeapi.JSON(500, `{"error":{"message":"HTTP error 500: 404, message='Not Found', url='`+p.url+`'","type":"InternalServerError","param":null,"code":500}}`)
	bad.Header.Set("Retry-After", "3")
	r := start(t, fakeapi.Always(bad), nil)
	c := ask(fakeapi.Chat, true, p)
	a := r.passed(c, session(1)...)
	message := a.refusal(t)
	if strings.Contains(a.body, "media.example.test") || strings.Contains(a.body, "SECRET") || !strings.Contains(message, "404") {
		t.Errorf("message %q", message)
	}
	if a.header.Get("X-Should-Retry") != "false" || a.header.Get("Retry-After") != "" || a.header.Get("Request-Id") != "req_fake" {
		t.Errorf("header %v", a.header)
	}
	for range 3 {
		r.rejected(c, session(1)...).turn(t, c)
	}
	es := r.wantEvents("failure_recorded", "short_circuited", "short_circuited", "short_circuited")
	f := es[0]
	if f.Status != 500 || f.ClientStatus != 400 || f.Reply != "downgraded" || f.ErrorKind != "http_5xx" || f.Reason != "fetch_4xx" || f.RetryDecision != "non_retryable_client_media_error" {
		t.Errorf("%+v", f)
	}
	if want := "downgraded; reason=fetch_4xx; signature=" + f.Signature; a.header.Get("X-Imagebreaker") != want {
		t.Errorf("X-Imagebreaker %q, want %q", a.header.Get("X-Imagebreaker"), want)
	}
}

func TestDowngradeStatus(t *testing.T) {
	t.Parallel()
	bad := fakeapi.JSON(500, `{"error":{"message":"cannot identify image file <_io.BytesIO object at 0x7f>"}}`)
	r := start(t, fakeapi.Always(bad), func(c *proxy.Config) { c.DowngradeStatus, c.Reply = 422, policy.Failed })
	c := ask(fakeapi.Chat, true, cut())
	if a := r.passed(c, session(1)...); a.status != 422 {
		t.Errorf("status %d", a.status)
	}
	r.rejected(c, session(1)...).refusal(t)
}

// The wrapped status is the media host's trouble: every attempt goes up.
func TestTransientServerErrorPasses(t *testing.T) {
	t.Parallel()
	p := remote("https://media.example.test/cat.png")
	for _, message := range []string{
		"HTTP error 500: 503, message='Service Unavailable', url='https://media.example.test/cat.png'",
		"failed to dial postgres url='postgres://db.example.test/x' message='conn refused'",
	} {
		bad := fakeapi.JSON(500, `{"error":{"message":"`+message+`"}}`)
		bad.Header.Set("Retry-After", "3")
		r := start(t, fakeapi.Always(bad), nil)
		for range 3 {
			r.passed(ask(fakeapi.Chat, true, p)).untouched(t, bad)
		}
		es := r.wantEvents("upstream_error", "upstream_error", "upstream_error")
		if es[0].RetryDecision != "retryable_http_5xx" || es[0].ErrorKind != "http_5xx" || es[0].Status != 500 || es[0].Signature != "" {
			t.Errorf("%+v", es[0])
		}
	}
}

// A redacted URL changes no verdict.
func TestVerdictIsTakenBeforeRedaction(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"https://media.example.test/a.png", "https://media.example.test/<path>", "[URL_REDACTED]", "***"} {
		bad := fakeapi.JSON(500, `{"error":{"message":"HTTP error 500: 404, message='Not Found', url='`+url+`'"}}`)
		r := start(t, fakeapi.Always(bad), style(policy.Failed))
		c := ask(fakeapi.Chat, false, remote("https://media.example.test/a.png"))
		r.passed(c, session(1)...).refusal(t)
		r.rejected(c, session(1)...).refusal(t)
	}
}

func TestSessionsAreApart(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), style(policy.Message))
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...)
	r.passed(c, session(2)...)
	r.rejected(c, session(1)...)
	r.rejected(c, session(2)...)
	r.passed(c) // no session at all
	r.rejected(c)
	es := r.wantEvents("failure_recorded", "failure_recorded", "short_circuited", "short_circuited", "failure_recorded", "short_circuited")
	if es[0].SessionID != "ses_1" || es[1].SessionID != "ses_2" || es[4].SessionID != "none" {
		t.Errorf("sessions %s %s %s", es[0].SessionID, es[1].SessionID, es[4].SessionID)
	}
}

// Clients without a session share one; a program gets an error, not prose.
func TestNoSession(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		p := cut()
		r := start(t, fakeapi.Refusing(p.needle()), nil)
		c := ask(api, true, p)
		r.passed(c)
		other := talk{api: api, turns: []any{p, "another client altogether"}}
		a := r.rejected(other, "X-Client", "two")
		if words := a.refusal(t); !strings.Contains(words, upstreamWords[api]) {
			t.Errorf("%s: the upstream's words are not in %q", api, words)
		}
		if a.header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: X-Should-Retry %q", api, a.header.Get("X-Should-Retry"))
		}
	}
}

// upstreamWords are parts of what fakeapi.BadImage says.
var upstreamWords = map[fakeapi.API]string{
	fakeapi.Anthropic: "Could not process image", fakeapi.Chat: "You uploaded an unsupported image", fakeapi.Responses: "does not represent a valid image", fakeapi.Gemini: "Provided image is not valid",
	fakeapi.Converse: "Could not process image", fakeapi.Invoke: "Could not process image",
}

// Two valid images and 25 MB of text.
func TestLargeBodyPasses(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Refusing(), nil)
	c := ask(fakeapi.Anthropic, true, good(), good())
	c.turns = append([]any{strings.Repeat("lorem ipsum dolor sit amet ", 25<<20/27), said("ok")}, c.turns...)
	r.passed(c, claude(1)...).untouched(t, fakeapi.Success(fakeapi.Anthropic, true, "all good"))
	r.wantEvents()
}

func TestOverTheLimitIsBypassed(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), func(c *proxy.Config) { c.BodyLimit = 1000 })
	small, large := ask(fakeapi.Anthropic, true, p), ask(fakeapi.Anthropic, true, p).then(strings.Repeat("x", 1000))
	for range 2 {
		r.passed(large, session(1)...).untouched(t, fakeapi.BadImage(fakeapi.Anthropic))
	}
	r.passed(small, session(1)...)
	es := r.wantEvents("forwarded_unseen", "forwarded_unseen", "failure_recorded")
	if es[0].Reason != "body_too_large" || es[0].RequestBytes != int64(len(large.body())) {
		t.Errorf("%+v", es[0])
	}
}

func TestNotJSONIsBypassed(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "[]", "{", "hello", `{"messages":[}`} {
		r := start(t, fakeapi.Always(fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"no"}}`)), nil)
		a := r.send("/v1/messages", body)
		if a.status != 400 || string(r.api.Requests()[0].Body) != body {
			t.Errorf("%q: %d, the upstream saw %q", body, a.status, r.api.Requests()[0].Body)
		}
		if es := r.wantEvents("forwarded_unseen"); es[0].Reason != "not_json" {
			t.Errorf("%+v", es[0])
		}
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Chat, true, p)
	r.passed(c, session(1)...)
	other := c
	other.model = "another"
	r.passed(other, session(1)...)
	r.passed(ask(fakeapi.Responses, true, p), session(1)...)
	r.rejected(c, session(1)...)
}

// A success that was sent before the failure was known changes nothing.
func TestStaleSuccess(t *testing.T) {
	t.Parallel()
	p := cut()
	open, arrived := make(chan struct{}), make(chan struct{})
	slow := fakeapi.Success(fakeapi.Anthropic, true, "late")
	slow.Before = open
	r := start(t, func(q fakeapi.Request) fakeapi.Answer {
		if q.N == 1 {
			close(arrived)
			return slow
		}
		return fakeapi.BadImage(fakeapi.Anthropic)
	}, nil)
	c := ask(fakeapi.Anthropic, true, p)
	var wg sync.WaitGroup
	wg.Go(func() { r.post(c, session(1)...) })
	<-arrived
	r.passed(c, session(1)...)
	close(open)
	wg.Wait()
	r.rejected(c, session(1)...)
}

// A probe that proves nothing leaves the entry half-open.
func TestInconclusiveProbe(t *testing.T) {
	t.Parallel()
	busy := fakeapi.JSON(503, `{"type":"error","error":{"type":"api_error","message":"Service Unavailable"}}`)
	p := cut()
	r := start(t, fakeapi.Always(fakeapi.BadImage(fakeapi.Anthropic)), nil)
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...)
	r.clock.advance(31 * time.Second)
	r.api.Play(fakeapi.InTurn(busy, fakeapi.Answer{Die: true}, fakeapi.BadImage(fakeapi.Anthropic)))
	r.passed(c, session(1)...).untouched(t, busy)
	r.try(c.path(), c.body(), session(1)...)
	r.passed(c, session(1)...)
	r.rejected(c, session(1)...)
	es := r.wantEvents("failure_recorded", "probe_sent", "probe_sent", "failure_recorded", "short_circuited")
	if e := es[1]; e.Signature != es[0].Signature || e.Status != 503 || e.ClientStatus != 503 || e.Reply != "upstream" {
		t.Errorf("%+v", e)
	}
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	ps := []picture{cut(), cut(), cut()}
	r := start(t, fakeapi.Always(fakeapi.BadImage(fakeapi.Anthropic)), func(c *proxy.Config) { c.Capacity = 2 })
	for _, p := range ps {
		r.passed(ask(fakeapi.Anthropic, true, p), session(1)...)
	}
	r.rejected(ask(fakeapi.Anthropic, true, ps[2]), session(1)...)
	r.passed(ask(fakeapi.Anthropic, true, ps[0]), session(1)...)
}

func TestSuspectNeedsTwo(t *testing.T) {
	t.Parallel()
	bad := fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Could not process PDF"}}`)
	r := start(t, fakeapi.InTurn(bad, fakeapi.Success(fakeapi.Anthropic, true, "fine"), bad, bad), nil)
	c := ask(fakeapi.Anthropic, true, pdf())
	for range 4 {
		r.passed(c, session(1)...)
	}
	r.rejected(c, session(1)...)
	es := r.wantEvents("upstream_error", "upstream_error", "failure_recorded", "short_circuited")
	if es[0].Verdict != "suspect" {
		t.Errorf("%+v", es[0])
	}
}

func TestWholeSet(t *testing.T) {
	t.Parallel()
	var ps []picture
	for range 5 {
		ps = append(ps, good())
	}
	bad := fakeapi.JSON(400, `{"error":{"message":"At most 3 image(s) may be provided in one prompt.","type":"BadRequestError","param":"image","code":400}}`)
	r := start(t, fakeapi.InTurn(bad, fakeapi.Success(fakeapi.Chat, true, "fine")), nil)
	r.passed(ask(fakeapi.Chat, true, ps...), session(1)...)
	r.passed(ask(fakeapi.Chat, true, ps[1:]...), session(1)...)
	c := ask(fakeapi.Chat, true, ps...)
	r.rejected(c, session(1)...).turn(t, c)
	wantImages(t, r.wantEvents("failure_recorded", "short_circuited")[0], ps...)
}

// An error inside a stream is judged; its bytes stay as they are.
func TestErrorInsideAStream(t *testing.T) {
	t.Parallel()
	p := cut()
	bad := fakeapi.Answer{Header: http.Header{"Content-Type": {"text/event-stream"}}, Pieces: []string{
		": hello\n\nevent: err", "or\nda", "ta: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Could not process image\"}}\r", "\n\r\n",
	}}
	r := start(t, fakeapi.Always(bad), nil)
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...).untouched(t, bad)
	r.rejected(c, session(1)...).turn(t, c)
	es := r.wantEvents("failure_recorded", "short_circuited")
	if e := es[0]; e.ErrorKind != "stream_error" || e.Status != 200 || e.ClientStatus != 200 || e.RetryDecision != "non_retryable_client_media_error" {
		t.Errorf("%+v", e)
	}
}

// What the model says is no error, whatever it says.
func TestModelTextIsNoError(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		for _, stream := range []bool{true, false} {
			quote := `{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}`
			r := start(t, fakeapi.Always(fakeapi.Success(api, stream, quote)), nil)
			c := ask(api, stream, cut())
			for range 2 {
				r.passed(c, session(1)...).untouched(t, fakeapi.Success(api, stream, quote))
			}
			r.wantEvents()
		}
	}
}

func TestCountProvesNothing(t *testing.T) {
	t.Parallel()
	a, b := good(), good()
	r := start(t, func(q fakeapi.Request) fakeapi.Answer {
		if strings.Contains(q.URI, "count") {
			return fakeapi.JSON(200, `{"input_tokens":7}`)
		}
		return fakeapi.BadImage(fakeapi.Anthropic)
	}, style(policy.Message))
	count := ask(fakeapi.Anthropic, false, a)
	count.count = true
	r.passed(count, session(1)...)
	r.passed(ask(fakeapi.Anthropic, true, a, b), session(1)...)
	wantImages(t, r.wantEvents("failure_recorded")[0], a, b)
}

// The compressed error of an upstream is judged and passed on as it is.
func TestCompressedErrors(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd", "gzip, br"} {
		p := cut()
		bad := fakeapi.BadImage(fakeapi.Anthropic)
		bad.Body = compress(t, encoding, bad.Body)
		bad.Header.Set("Content-Encoding", encoding)
		r := start(t, fakeapi.Always(bad), nil)
		c := ask(fakeapi.Anthropic, true, p)
		r.passed(c, append(session(1), "Accept-Encoding", encoding)...).untouched(t, bad)
		r.rejected(c, session(1)...).turn(t, c)
	}
}

func TestCompressedStream(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd"} {
		frame := "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Could not process image\"}}\n\n"
		bad := fakeapi.Answer{Header: http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {encoding}}, Body: compress(t, encoding, []byte(frame))}
		r := start(t, fakeapi.Always(bad), nil)
		c := ask(fakeapi.Anthropic, true, cut())
		r.passed(c, session(1)...).untouched(t, bad)
		r.rejected(c, session(1)...)
	}
}

// Requests come compressed too: a copy is inspected, the bytes go on as they are.
func TestCompressedRequests(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd"} {
		r := start(t, fakeapi.Always(fakeapi.BadImage(fakeapi.Responses)), nil)
		c := ask(fakeapi.Responses, true, cut())
		body := string(compress(t, encoding, []byte(c.body())))
		r.send(c.path(), body, append(session(1), "Content-Encoding", encoding)...).untouched(t, fakeapi.BadImage(fakeapi.Responses))
		if got := string(r.api.Requests()[0].Body); got != body {
			t.Errorf("%s: other bytes went up", encoding)
		}
		r.send(c.path(), body, append(session(1), "Content-Encoding", encoding)...).turn(t, c)
		r.send(c.path(), body[:len(body)/2], append(session(1), "Content-Encoding", encoding)...)
		es := r.wantEvents("failure_recorded", "short_circuited", "forwarded_unseen")
		if es[2].Reason != "bad_encoding" {
			t.Errorf("%s: %+v", encoding, es[2])
		}
	}
}

func TestDecompressionBombIsBypassed(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Always(fakeapi.JSON(200, `{}`)), func(c *proxy.Config) { c.BodyLimit = 1 << 20 })
	body := string(compress(t, "gzip", []byte(`{"model":"`+strings.Repeat("x", 4<<20)+`"}`)))
	r.send("/v1/messages", body, "Content-Encoding", "gzip")
	if es := r.wantEvents("forwarded_unseen"); es[0].Reason != "body_too_large" {
		t.Errorf("%+v", es[0])
	}
}

func TestUnknownEncodingIsBypassed(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Always(fakeapi.JSON(200, `{}`)), nil)
	r.send("/v1/messages", "{}", "Content-Encoding", "rot13")
	if es := r.wantEvents("forwarded_unseen"); es[0].Reason != "bad_encoding" {
		t.Errorf("%+v", es[0])
	}
}
