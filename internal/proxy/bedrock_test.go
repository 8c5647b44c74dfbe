package proxy_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/upstream"
)

// bedrockAPIs are in the list of all APIs too, so that the scenarios of the
// other files are played with them. Here is what only they have.
var bedrockAPIs = []fakeapi.API{fakeapi.Converse, fakeapi.Invoke}

func (c talk) onBedrock() bool { return slices.Contains(bedrockAPIs, c.api) }

func (c talk) bedrockPath() string {
	operation := map[fakeapi.API][2]string{
		fakeapi.Converse: {"converse", "converse-stream"},
		fakeapi.Invoke:   {"invoke", "invoke-with-response-stream"},
	}[c.api]
	model := url.PathEscape("arn:aws:bedrock:us-east-1:1:inference-profile/the-model")
	switch {
	case c.count:
		return "/model/" + model + "/count-tokens"
	case c.stream:
		return "/model/" + model + "/" + operation[1]
	}
	return "/model/" + model + "/" + operation[0]
}

// blocks is a turn in Converse's form.
func (c talk) blocks(turn any, i int) []any {
	message := func(role string, blocks ...any) any { return map[string]any{"role": role, "content": blocks} }
	id := fmt.Sprintf("call_%d", i)
	switch v := turn.(type) {
	case string:
		return []any{message("user", map[string]any{"text": v})}
	case said:
		return []any{message("assistant", map[string]any{"text": string(v)})}
	case picture:
		return []any{message("user", v.block())}
	case file:
		var parts []any
		for _, p := range v.pictures {
			parts = append(parts, p.block())
		}
		return []any{
			message("assistant", map[string]any{"toolUse": map[string]any{"toolUseId": id, "name": "read", "input": map[string]any{"path": "/home/you/" + v.name}}}),
			message("user", map[string]any{"toolResult": map[string]any{"toolUseId": id, "content": parts}}),
		}
	}
	panic("no such turn")
}

func (p picture) block() any {
	source := map[string]any{"bytes": p.b64()}
	if p.url != "" {
		source = map[string]any{"s3Location": map[string]any{"uri": p.url}}
	}
	_, format, _ := strings.Cut(p.label, "/")
	block := map[string]any{"format": format, "source": source}
	if p.kind == "document" {
		block["name"] = "A document"
	}
	return map[string]any{p.kind: block}
}

// frame is a message of a stream as an SDK reads it.
type frame struct{ kind, name, payload string }

// framesOf reads a stream to its end, with all of its checksums.
func framesOf(t *testing.T, body string) []frame {
	t.Helper()
	var out []frame
	for in := strings.NewReader(body); in.Len() > 0; {
		m, err := eventstream.NewDecoder().Decode(in, nil)
		must(t, err)
		kind := m.Headers.Get(":message-type").String()
		if c := m.Headers.Get(":content-type"); c == nil || c.String() != "application/json" {
			t.Errorf("content type %v", c)
		}
		out = append(out, frame{kind, m.Headers.Get(":" + kind + "-type").String(), string(m.Payload)})
	}
	return out
}

// unframed is what the messages of a stream hold, in their order; of a chunk,
// the event in it.
func unframed(t *testing.T, body string) string {
	t.Helper()
	var out []string
	for _, f := range framesOf(t, body) {
		if f.kind != "event" {
			t.Errorf("%s %s: %s", f.kind, f.name, f.payload)
		}
		var chunk struct{ Bytes []byte }
		must(t, json.Unmarshal([]byte(f.payload), &chunk))
		if chunk.Bytes != nil {
			f.payload = string(chunk.Bytes)
		}
		out = append(out, f.payload)
	}
	return strings.Join(out, "\n")
}

// exception is a stream that begins well and then is refused.
func exception(api fakeapi.API, class, message string) fakeapi.Answer {
	a := fakeapi.Success(api, true, "x")
	whole := a.Pieces[0] + fakeapi.Frame("exception", class, `{"message":"`+message+`"}`)
	a.Pieces = nil
	for piece := range slices.Chunk([]byte(whole), 7) { // no piece is a message
		a.Pieces = append(a.Pieces, string(piece))
	}
	return a
}

func TestExceptionInsideAStream(t *testing.T) {
	t.Parallel()
	for _, api := range bedrockAPIs {
		bad := exception(api, "validationException", "Could not process image")
		r := start(t, fakeapi.Always(bad), nil)
		c := ask(api, true, cut())
		r.passed(c, session(1)...).untouched(t, bad)
		r.rejected(c, session(1)...).turn(t, c)
		es := r.wantEvents("failure_recorded", "short_circuited")
		if e := es[0]; e.ErrorKind != "stream_error" || e.Status != 200 || e.Reason != "decode_failed" || e.RequestID != "req_fake" {
			t.Errorf("%s: %+v", api, e)
		}
	}
}

// What passes is no reason to reject anything, though it speaks of an image.
func TestPassingExceptionInsideAStream(t *testing.T) {
	t.Parallel()
	for _, api := range bedrockAPIs {
		for class, decision := range map[string]string{
			"throttlingException":         "retryable_rate_limited",
			"internalServerException":     "retryable_http_5xx",
			"serviceUnavailableException": "retryable_http_5xx",
			"modelTimeoutException":       "retryable_http_5xx",
		} {
			bad := exception(api, class, "The image worker cannot be used now.")
			r := start(t, fakeapi.Always(bad), nil)
			for range 2 {
				r.passed(ask(api, true, cut()), session(1)...).untouched(t, bad)
			}
			if es := r.wantEvents("upstream_error", "upstream_error"); string(es[0].RetryDecision) != decision {
				t.Errorf("%s %s: %+v", api, class, es[0])
			}
		}
	}
}

// A whole stream clears an open entry, however its bytes are cut; a client need
// not wait for the connection's end.
func TestBedrockStreamProvesItsImages(t *testing.T) {
	t.Parallel()
	for _, api := range bedrockAPIs {
		whole := fakeapi.Success(api, true, "fine")
		bytes := strings.Join(whole.Pieces, "")
		open := make(chan struct{})
		defer close(open)
		slow := fakeapi.Answer{Header: whole.Header, Pieces: []string{bytes, ""}, Hold: open}
		p, q := good(), good()
		r := start(t, fakeapi.InTurn(slow, fakeapi.BadImage(api)), style(policy.Message))
		r.readJust(ask(api, true, p), len(bytes))
		r.passed(ask(api, true, p, q), session(1)...)
		wantImages(t, r.wantEvents("failure_recorded")[0], q)
	}
}

// readJust reads no more than so many bytes of an answer, and leaves.
func (r *rig) readJust(c talk, n int) {
	r.Helper()
	req, err := http.NewRequest(http.MethodPost, r.url+c.path(), strings.NewReader(c.body()))
	must(r.T, err)
	req.Header.Set(session(1)[0], session(1)[1])
	resp, err := r.client.Do(req)
	must(r.T, err)
	defer resp.Body.Close()
	for read, buf := 0, make([]byte, 16); read < n; {
		m, err := resp.Body.Read(buf[:min(len(buf), n-read)])
		must(r.T, err)
		read += m
	}
}

// The converse turn is what the model's own would be.
func TestConverseTurn(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Converse, true, p)
	r.passed(c, session(1)...)
	var names []string
	for _, f := range framesOf(t, r.rejected(c, session(1)...).body) {
		names = append(names, f.kind+" "+f.name)
	}
	if want := []string{"event messageStart", "event contentBlockDelta", "event contentBlockStop", "event messageStop", "event metadata"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// An SDK reads the class of an error in its head: ours are of one, and not of
// that which a changed answer had.
func TestBedrockErrorsHaveAClass(t *testing.T) {
	t.Parallel()
	for _, api := range bedrockAPIs {
		bad := fakeapi.Exception(500, "InternalServerException", "Could not process image")
		r := start(t, fakeapi.Always(bad), style(policy.Failed))
		c := ask(api, true, cut())
		for name, a := range map[string]answer{"downgraded": r.passed(c), "held": r.rejected(c)} {
			if got := a.header["X-Amzn-Errortype"]; a.status != 400 || !slices.Equal(got, []string{"ValidationException"}) {
				t.Errorf("%s %s: %d %q", api, name, a.status, got)
			}
		}
	}
	r := start(t, fakeapi.Refusing(), func(c *proxy.Config) {
		ups, err := upstream.Parse("http://" + deadAddress(t))
		must(t, err)
		c.Upstreams = ups
	})
	if a := r.post(ask(fakeapi.Converse, true)); a.status != 502 || a.header.Get("X-Amzn-Errortype") != "ServiceUnavailableException" {
		t.Errorf("%d %v", a.status, a.header)
	}
}

// A turn is no error.
func TestBedrockTurnHasNoClass(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Converse, false, p)
	r.passed(c, session(1)...)
	if a := r.rejected(c, session(1)...); a.header.Get("X-Amzn-Errortype") != "" {
		t.Errorf("%v", a.header)
	}
}

// Claude Code gets the path on Bedrock as well.
func TestClaudeCodeOnBedrock(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := read(fakeapi.Invoke, true, "a.png", p)
	a := r.post(c, claude(1)...)
	const path = "messages.2.content.0.tool_result.content.0.image.source.base64: "
	if a.body != `{"message":"`+path+`The model returned the following errors: Could not process image"}` || a.header.Get("X-Amzn-Errortype") != "ValidationException" {
		t.Errorf("first: %d %s", a.status, a.body)
	}
	if m := r.rejected(c.then("go on"), claude(1)...).refusal(t); !strings.HasPrefix(m, path+"Could not process image (") {
		t.Errorf("later: %q", m)
	}
	r.wantEvents("failure_recorded", "short_circuited")
}

// Whatever style, the body of another maker gets no turn of Anthropic's.
func TestOtherMakersBodyGetsNoTurn(t *testing.T) {
	t.Parallel()
	for _, s := range []policy.Style{policy.Auto, policy.Message, policy.Failed} {
		p := cut()
		c := ask(fakeapi.Converse, true, p) // Nova's messages are Converse's
		path := "/model/amazon.nova-x/invoke-with-response-stream"
		r := start(t, fakeapi.Refusing(p.needle()), style(s))
		for range 2 {
			r.send(path, c.body(), session(1)...).refusal(t)
		}
		if n := r.api.Uploads(p.needle()); n != 1 {
			t.Errorf("%s: %d uploads", s, n)
		}
		if s != policy.Auto {
			continue
		}
		if a := r.send(path, c.then("x").body(), session(1)...); !strings.HasPrefix(a.header.Get("X-Imagebreaker"), "repaired") {
			t.Errorf("later: %d %s", a.status, a.body)
		}
	}
}

// Tokens of Converse are counted without the image.
func TestConverseCountIsSubstituted(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Converse, false, p)
	r.passed(c, session(1)...)
	c.count = true
	if a := r.send(c.path(), `{"input":{"converse":`+c.body()+`}}`, session(1)...); a.status != 200 || !strings.HasPrefix(a.header.Get("X-Imagebreaker"), "repaired") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if n := r.api.Uploads(p.needle()); n != 1 {
		t.Errorf("%d uploads", n)
	}
	invoke := base64.StdEncoding.EncodeToString([]byte(ask(fakeapi.Invoke, false, p).body()))
	if a := r.send(c.path(), `{"input":{"invokeModel":{"body":"`+invoke+`"}}}`, session(1)...); a.status != 200 || a.header.Get("X-Imagebreaker") != "" {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// The bytes of an office file tell nothing, so that the image beside it is to
// blame, and the front door's pointer, which counts from 1, names the file.
func TestOfficeFile(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"application/docx", "application/html"} {
		office := picture{kind: "document", label: label, data: []byte("PK\x03\x04\x14\x00\x06\x00\x08\x00")}
		bad := cut()
		r := start(t, fakeapi.Always(fakeapi.BadImage(fakeapi.Converse)), nil)
		r.passed(ask(fakeapi.Converse, true, office, bad), session(1)...)
		wantImages(t, r.wantEvents("failure_recorded")[0], bad)
		pointed := fakeapi.Exception(400, "ValidationException", "Value at 'messages.2.member.content.1.member.document.format' failed to satisfy constraint: Member must satisfy enum value set: [pdf]")
		r = start(t, fakeapi.Always(pointed), nil)
		r.passed(ask(fakeapi.Converse, true, office, bad), session(1)...)
		wantImages(t, r.wantEvents("failure_recorded")[0], office)
	}
}

// A signed request goes up as it is: no substitution could be signed.
func TestSignedRequestIsNotSubstituted(t *testing.T) {
	t.Parallel()
	p := cut()
	signed := append(session(1), "Authorization", "AWS4-HMAC-SHA256 Credential=x")
	r := start(t, fakeapi.Refusing(p.needle()), style(policy.Repair))
	c := ask(fakeapi.Converse, true, p)
	r.passed(c, signed...).untouched(t, fakeapi.BadImage(fakeapi.Converse))
	r.rejected(c, signed...)
}
