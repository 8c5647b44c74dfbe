package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
)

// bedrockModel has what a path has to escape.
const bedrockModel = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/vendor.model-v1:0"

// everyBedrock runs a test for each SDK and form that speaks to Bedrock.
func everyBedrock(t *testing.T, test func(t *testing.T, c client)) {
	t.Helper()
	t.Parallel()
	for _, c := range []client{
		{sdk: converseSDK{}}, {sdk: converseSDK{}, stream: true},
		{sdk: invokeSDK{}}, {sdk: invokeSDK{}, stream: true},
		{sdk: anthropicOnBedrock{}}, {sdk: anthropicOnBedrock{}, stream: true},
	} {
		t.Run(fmt.Sprintf("%T/stream=%v", c.sdk, c.stream), func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// badImage is what an SDK has to make of the upstream's complaint.
func badImage(r *rig) refusal {
	e := refusal{status: 400, kind: "ValidationException", message: "The model returned the following errors: Could not process image"}
	if (r.sdk == anthropicOnBedrock{}) {
		e.kind = "" // it reads no class
	}
	return e
}

// saying wants a finished turn.
func (r *rig) saying(q question, words string) reply {
	r.Helper()
	a := r.answered(q)
	if !strings.Contains(a.text, words) || a.streamed != a.text || a.role != "assistant" || a.finish != "end_turn" || !a.usage {
		r.Errorf("%+v, want %q", a, words)
	}
	return a
}

func TestBedrockOrdinaryAnswerPasses(t *testing.T) {
	everyBedrock(t, func(t *testing.T, c client) {
		q := question{picture: whole(t)}
		r := start(t, c, policy.Auto, fakeapi.Refusing())
		r.saying(q, modelSays)
		r.wantTraffic(1, 1, 1, q.picture)
	})
}

// The failure comes as the SDK's own type and is not retried; the repeat is a
// turn, and the session goes on.
func TestBedrockSessionGoesOn(t *testing.T) {
	everyBedrock(t, func(t *testing.T, c client) {
		q := question{picture: truncated(t), session: "ses_1"}
		r := start(t, c, policy.Auto, fakeapi.Refusing(q.picture.needle()))
		if e := r.refused(q); e != badImage(r) {
			t.Errorf("the upstream's own error came as %+v", e)
		}
		r.wantTraffic(1, 1, 1, q.picture)
		said := r.saying(q, q.picture.sum())
		if said.tokens != 0 {
			t.Errorf("%d tokens", said.tokens)
		}
		r.wantTraffic(2, 1, 1, q.picture)
		q.answer, q.tool = said.text, true
		r.saying(q, modelSays)
		r.wantTraffic(3, 2, 1, q.picture)
		if body := r.upstream.Requests()[1].Body; !strings.Contains(string(body), q.picture.sum()) {
			t.Errorf("no note in %s", body)
		}
	})
}

func TestBedrockRepeatIsAnError(t *testing.T) {
	everyBedrock(t, func(t *testing.T, c client) {
		q := question{picture: truncated(t)}
		r := start(t, c, policy.Auto, fakeapi.Refusing(q.picture.needle()))
		r.refused(q)
		e, want := r.refused(q), badImage(r)
		if e.status != want.status || e.kind != want.kind || !strings.Contains(e.message, "Could not process image") || !strings.Contains(e.message, q.picture.sum()) {
			t.Errorf("%+v", e)
		}
		r.wantTraffic(2, 1, 1, q.picture)
	})
}

// An SDK retries a server's exception. This one would be the same the next time.
func TestBedrockServerErrorIsNotRetried(t *testing.T) {
	everyBedrock(t, func(t *testing.T, c client) {
		q := question{picture: truncated(t)}
		r := start(t, c, policy.Auto, fakeapi.Always(fakeapi.Exception(500, "InternalServerException", "Could not process image")))
		if e := r.refused(q); e.status != 400 || e.kind != badImage(r).kind || !strings.HasPrefix(e.message, "Could not process image") {
			t.Errorf("%+v", e)
		}
		r.wantTraffic(1, 1, 1, q.picture)
	})
}

// An exception inside a stream ends it with the SDK's error, and the repeat is held.
func TestBedrockExceptionInsideAStream(t *testing.T) {
	everyBedrock(t, func(t *testing.T, c client) {
		if !c.stream {
			return
		}
		q := question{picture: truncated(t), session: "ses_1"}
		bad := fakeapi.Success(c.api(), true, "x")
		bad.Pieces = []string{bad.Pieces[0], fakeapi.Frame("exception", "validationException", `{"message":"Could not process image"}`)}
		r := start(t, c, policy.Auto, fakeapi.Always(bad))
		if a, err := r.ask(r, q); err == nil || !strings.Contains(err.Error(), "Could not process image") {
			t.Errorf("%+v, %v", a, err)
		}
		r.saying(q, q.picture.sum())
		r.wantTraffic(2, 1, 1, q.picture)
	})
}
