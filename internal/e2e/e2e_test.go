package e2e_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
)

// finished is how each API says that an answer is whole.
var finished = map[fakeapi.API]string{
	fakeapi.Anthropic: "end_turn", fakeapi.Chat: "stop", fakeapi.Responses: "completed", fakeapi.Gemini: "STOP",
}

// speaker is what each API calls the model's role.
var speaker = map[fakeapi.API]string{
	fakeapi.Anthropic: "assistant", fakeapi.Chat: "assistant", fakeapi.Responses: "assistant", fakeapi.Gemini: "model",
}

// modelSays is what fakeapi's model says to everything.
const modelSays = "all good"

func TestOrdinaryAnswerPasses(t *testing.T) {
	everyClient(t, func(t *testing.T, c client) {
		p := whole(t)
		r := start(t, c, policy.Auto, fakeapi.Refusing())
		r.answered(question{picture: p}).byTheModel(r)
		r.wantTraffic(1, 1, 1, p)
	})
}

func TestRepeatIsAFinishedTurn(t *testing.T) {
	everyClient(t, func(t *testing.T, c client) {
		q := question{picture: truncated(t)}
		r := start(t, c, policy.Message, fakeapi.Refusing(q.picture.needle()))
		if e := r.refused(q); e != upstreams(t, c.api()) {
			t.Errorf("the upstream's own error came as %+v", e)
		}
		r.answered(q).byTheProxy(r, q.picture)
		r.wantTraffic(2, 1, 1, q.picture)
	})
}

func TestRepeatIsAnError(t *testing.T) {
	for name, how := range map[string]struct {
		style   policy.Style
		session string
	}{
		"error":                {policy.Failed, "ses_1"},
		"auto without session": {policy.Auto, ""},
	} {
		t.Run(name, func(t *testing.T) {
			everyClient(t, func(t *testing.T, c client) {
				q := question{picture: truncated(t), session: how.session}
				r := start(t, c, how.style, fakeapi.Refusing(q.picture.needle()))
				want := upstreams(t, c.api())
				if e := r.refused(q); e != want {
					t.Errorf("the upstream's own error came as %+v", e)
				}
				r.wantTraffic(1, 1, 1, q.picture)
				e := r.refused(q)
				if e.status != 400 || e.kind != want.kind || e.code != want.code {
					t.Errorf("%+v, want what the upstream said: %+v", e, want)
				}
				if !strings.HasPrefix(e.message, want.message) || !strings.Contains(e.message, q.picture.sum()) {
					t.Errorf("message %q", e.message)
				}
				r.wantTraffic(2, 1, 1, q.picture)
			})
		})
	}
}

// A program that wants JSON would take prose for a broken answer, in any style.
func TestDemandForJSONGetsNoProse(t *testing.T) {
	everyClient(t, func(t *testing.T, c client) {
		q := question{picture: truncated(t), session: "ses_1", json: true}
		r := start(t, c, policy.Message, fakeapi.Refusing(q.picture.needle()))
		r.refused(q)
		if e := r.refused(q); e.status != 400 || !strings.Contains(e.message, q.picture.sum()) {
			t.Errorf("%+v", e)
		}
		r.wantTraffic(2, 1, 1, q.picture)
	})
}

// An SDK retries a 500. This one would be the same the next time.
func TestPermanentServerErrorIsNotRetried(t *testing.T) {
	everyClient(t, func(t *testing.T, c client) {
		q := question{picture: truncated(t)}
		r := start(t, c, policy.Auto, fakeapi.Always(serverError(c.api(), 500, "cannot identify image file <_io.BytesIO object at 0x7f>")))
		e := r.refused(q)
		if e.status != 400 || e.kind != upstreams(t, c.api()).kind || !strings.HasPrefix(e.message, "cannot identify image file") {
			t.Errorf("%+v", e)
		}
		r.wantTraffic(1, 1, 1, q.picture)
	})
}

func TestPassingServerErrorIsRetried(t *testing.T) {
	everyClient(t, func(t *testing.T, c client) {
		q := question{picture: truncated(t)}
		r := start(t, c, policy.Auto, fakeapi.Always(serverError(c.api(), 503, "Service Unavailable")))
		if e := r.refused(q); e.status != 503 || e.message != "Service Unavailable" {
			t.Errorf("%+v", e)
		}
		r.wantTraffic(3, 3, 3, q.picture)
	})
}

// An agent's session: the failed turn is explained to its user, and the next
// turn goes on without the image.
func TestAgentsSessionGoesOn(t *testing.T) {
	everyClient(t, func(t *testing.T, c client) {
		q := question{picture: truncated(t), session: "ses_1"}
		r := start(t, c, policy.Auto, fakeapi.Refusing(q.picture.needle()))
		r.refused(q)
		said := r.answered(q)
		said.byTheProxy(r, q.picture)
		r.wantTraffic(2, 1, 1, q.picture)
		q.answer, q.tool = said.text, true
		r.answered(q).byTheModel(r)
		r.wantTraffic(3, 2, 1, q.picture)
		r.wantNote(2, q.picture)
	})
}

func TestRepairStyleNeverFails(t *testing.T) {
	everyClient(t, func(t *testing.T, c client) {
		q := question{picture: truncated(t)}
		r := start(t, c, policy.Repair, fakeapi.Refusing(q.picture.needle()))
		r.answered(q).byTheModel(r)
		r.wantTraffic(1, 2, 1, q.picture)
		r.wantNote(2, q.picture)
	})
}

// byTheModel wants the upstream's answer.
func (a reply) byTheModel(r *rig) {
	r.Helper()
	if a.text != modelSays || a.streamed != modelSays || a.finish != r.finish() {
		r.Errorf("%+v", a)
	}
}

// byTheProxy wants a finished turn that speaks of the picture.
func (a reply) byTheProxy(r *rig, p picture) {
	r.Helper()
	if !strings.Contains(a.text, p.sum()) || a.streamed != a.text {
		r.Errorf("text %q, streamed %q", a.text, a.streamed)
	}
	if a.role != r.role() || a.model != model || a.finish != r.finish() {
		r.Errorf("role %q, model %q, finish %q", a.role, a.model, a.finish)
	}
	// A stream of Chat Completions has its usage only if it was asked for.
	wanted := r.api() != fakeapi.Chat || !r.stream || r.usage
	if a.usage != wanted || a.tokens != 0 {
		r.Errorf("usage %v, %d tokens", a.usage, a.tokens)
	}
}

// upstreams is what fakeapi says of a bad image, as an SDK has to show it.
func upstreams(t *testing.T, api fakeapi.API) refusal {
	t.Helper()
	a := fakeapi.BadImage(api)
	var body struct {
		Error struct {
			Type, Status, Message string
			Code                  any // a number in Gemini's errors: the HTTP status again
		}
	}
	must(t, json.Unmarshal(a.Body, &body))
	code, _ := body.Error.Code.(string)
	return refusal{status: a.Status, kind: body.Error.Type + body.Error.Status, code: code, message: body.Error.Message}
}

// serverError asks for the shortest wait before a retry.
func serverError(api fakeapi.API, status int, message string) fakeapi.Answer {
	e := map[string]any{"message": message}
	if api == fakeapi.Gemini {
		e["code"] = status // Google's SDK for Go reads the status here
	}
	b, _ := json.Marshal(map[string]any{"error": e})
	a := fakeapi.JSON(status, string(b))
	a.Header.Set("Retry-After-Ms", "1")
	return a
}

// wantNote wants a text about the picture where the picture was, the second part
// of the first message, in the nth request that went up.
func (r *rig) wantNote(n int, p picture) {
	r.Helper()
	up := r.upstream.Requests()
	if len(up) < n {
		r.Fatalf("%d requests went up, want %d", len(up), n)
	}
	type message struct{ Content, Parts json.RawMessage }
	var body struct{ Messages, Input, Contents []message }
	must(r.T, json.Unmarshal(up[n-1].Body, &body))
	first := slices.Concat(body.Messages, body.Input, body.Contents)[0]
	var parts []struct{ Type, Text string }
	must(r.T, json.Unmarshal(append(first.Content, first.Parts...), &parts))
	if len(parts) != 2 || parts[0].Text != lookAt || parts[1].Type != parts[0].Type || !strings.Contains(parts[1].Text, p.sum()) {
		r.Errorf("the first message went up as %+v", parts)
	}
}
