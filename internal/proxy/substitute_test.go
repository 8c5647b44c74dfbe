package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"imagebreaker/imagehash"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/substitution"
	"imagebreaker/internal/upstream"
)

// substituted wants a turn forwarded with placeholders for the pictures, and
// every other byte as it was sent. It returns the placeholder's text.
func (r *rig) substituted(c talk, headers []string, gone ...picture) string {
	r.Helper()
	a := r.post(c, headers...)
	if m := a.header.Get("X-Imagebreaker"); a.status != 200 || !strings.HasPrefix(m, "repaired; reason=") {
		r.Fatalf("%d, X-Imagebreaker %q: %s", a.status, m, a.body)
	}
	seen := r.api.Requests()
	return putBack(r.T, c, string(seen[len(seen)-1].Body), gone...)
}

// putBack puts the pictures back into a substituted body, which must give what the
// client sent.
func putBack(t *testing.T, c talk, body string, gone ...picture) string {
	t.Helper()
	text := ""
	for _, p := range gone {
		part, err := json.Marshal(c.part(p))
		must(t, err)
		open := map[fakeapi.API]string{fakeapi.Responses: `{"type":"input_text",`, fakeapi.Gemini: `{`, fakeapi.Converse: `{`}[c.api]
		if open == "" {
			open = `{"type":"text",`
		}
		before, rest, ok := strings.Cut(body, open+`"text":"[imagebreaker removed a media file here (sum `+p.sum().Short())
		words, after, ok2 := strings.Cut(rest, `"}`)
		if !ok || !ok2 {
			t.Fatalf("no placeholder for %s in %s", p.sum().Short(), body)
		}
		text, body = words, before+string(part)+after
	}
	if body != c.body() {
		t.Fatalf("with the images put back:\n%s\nsent:\n%s", body, c.body())
	}
	return text
}

// Bad image, plain turn, plain turn: one upload, and the model answers.
func TestThreeTurnSession(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		for _, style := range []policy.Style{policy.Auto, policy.Repair} {
			t.Run(fmt.Sprint(api, style), func(t *testing.T) {
				t.Parallel()
				p, neighbour := cut(), good()
				r := start(t, fakeapi.Refusing(p.needle()), func(c *proxy.Config) { c.Reply = style })
				c := read(api, true, "shot.png", p)
				c.turns = append([]any{neighbour, said("nice")}, c.turns...)
				if style == policy.Repair {
					r.substituted(c, session(1), p)
				} else {
					r.passed(c, session(1)...).untouched(t, fakeapi.BadImage(api))
				}
				for _, text := range []string{"go on", "and on"} {
					c = c.then(text)
					r.substituted(c, session(1), p)
				}
				if n := r.api.Uploads(p.needle()); n != 1 {
					t.Errorf("%d uploads of the bad image", n)
				}
				want := []string{"failure_recorded", "repaired", "repaired"}
				if style == policy.Repair {
					want = append(want, "repaired")
				}
				es := r.wantEvents(want...)
				last := es[len(es)-1]
				wantImages(t, last, p)
				if last.Signature != es[0].Signature || last.Reason != "decode_failed" || last.Reply != "repaired" || last.ClientStatus != 200 || last.Status != 200 || last.SessionID != "ses_1" {
					t.Errorf("%+v", last)
				}
			})
		}
	}
}

// A repeat of the failed turn is answered; what differs only in what clients
// change from try to try is a repeat.
func TestRepeatAndLaterTurn(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		p := cut()
		r := start(t, fakeapi.Refusing(p.needle()), nil)
		c := read(api, true, "a.png", p)
		r.passed(c, session(1)...)
		again := c
		again.tools = true
		r.rejected(again, session(1)...).turn(t, again)
		edited := c
		edited.turns = append(edited.turns[:0:0], edited.turns...)
		edited.turns[0] = "please read a.png"
		r.substituted(edited, session(1), p)
		r.rejected(c, session(1)...).turn(t, c)
		if es := r.wantEvents("failure_recorded", "short_circuited", "repaired", "short_circuited"); es[3].HeldCount != 2 {
			t.Errorf("%s: a substituted request was counted as short-circuited: %+v", api, es[3])
		}
	}
}

// An image that was replaced stays so, long after the entry is forgotten.
func TestSubstitutionsAreSticky(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...)
	first := r.substituted(c.then("x"), session(1), p)
	r.clock.advance(24 * time.Hour)
	if again := r.substituted(c.then("x").then("y"), session(1), p); again != first {
		t.Errorf("the placeholder changed: %q, %q", first, again)
	}
}

func TestForgottenSubstitutionIsTriedAgain(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Anthropic, true, p)
	r.passed(c, session(1)...)
	r.substituted(c.then("x"), session(1), p)
	signature := r.listed()[0]["signature"].(string)
	r.api.Play(fakeapi.Refusing())
	r.reserved("DELETE", "/-/breakers/"+signature)
	r.passed(c.then("x").then("y"), session(1)...)
}

// Tokens are counted without the image, from every client.
func TestCountIsSubstituted(t *testing.T) {
	t.Parallel()
	p := cut()
	for _, headers := range [][]string{session(1), claude(1), nil} {
		r := start(t, fakeapi.Refusing(p.needle()), nil)
		c := ask(fakeapi.Anthropic, false, p)
		r.passed(c, headers...)
		c.count = true
		r.substituted(c, headers, p)
		c.count = false
		r.rejected(c, headers...)
	}
	for _, s := range []policy.Style{policy.Message, policy.Failed} {
		r := start(t, fakeapi.Refusing(p.needle()), style(s))
		c := ask(fakeapi.Anthropic, false, p)
		r.passed(c, session(1)...)
		c.count = true
		r.rejected(c, session(1)...).refusal(t)
	}
}

// Claude Code gets the path in this very body, wherever the image is now.
func TestClaudeCodeGetsThePath(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := read(fakeapi.Anthropic, true, "a.png", p)
	a := r.post(c, claude(1)...)
	if m := a.refusal(t); m != "messages.2.content.0.tool_result.content.0.image.source.base64: Could not process image" {
		t.Errorf("first: %q", m)
	}
	if m := a.header.Get("X-Imagebreaker"); !strings.HasPrefix(m, "pointed; reason=decode_failed; signature=") {
		t.Errorf("X-Imagebreaker %q", m)
	}
	if !strings.Contains(a.body, `"request_id":"req_fake"`) {
		t.Errorf("something else changed: %s", a.body)
	}
	later := c.then("go on")
	later.turns = append([]any{"earlier", said("yes")}, later.turns...)
	m := r.rejected(later, claude(1)...).refusal(t)
	if !strings.HasPrefix(m, "messages.4.content.0.tool_result.content.0.image.source.base64: Could not process image (") {
		t.Errorf("later: %q", m)
	}
	if es := r.wantEvents("failure_recorded", "short_circuited"); es[0].Reply != "pointed" || es[1].Reply != "pointed" {
		t.Errorf("%+v", es)
	}
}

// The path is put before the message of a compressed error too, and whatever
// else is in the error stays.
func TestAnnotatedErrorKeepsTheRest(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Q", 5000)
	body := `{ "type":"error", "error":{"type":"invalid_request_error","message":"Could not process image","x":"` + long + `"},"request_id":"r"}`
	for _, encoding := range []string{"", "gzip"} {
		bad := fakeapi.JSON(400, body)
		if encoding != "" {
			bad.Body = compress(t, encoding, bad.Body)
			bad.Header.Set("Content-Encoding", encoding)
		}
		r := start(t, fakeapi.Always(bad), nil)
		a := r.post(ask(fakeapi.Anthropic, true, cut()), append(claude(1), "Accept-Encoding", "gzip")...)
		want := strings.Replace(body, `"Could not`, `"messages.1.content.0.image.source.base64: Could not`, 1)
		if a.body != want || a.header.Get("Content-Encoding") != "" {
			t.Errorf("%q: got %s", encoding, a.body)
		}
	}
}

// An engine's 500 is made a 400 with the path as well.
func TestDowngradedErrorIsAnnotated(t *testing.T) {
	t.Parallel()
	bad := fakeapi.JSON(500, `{"type":"error","error":{"type":"api_error","message":"cannot identify image file <_io.BytesIO object at 0x7f>"}}`)
	r := start(t, fakeapi.Always(bad), nil)
	a := r.post(ask(fakeapi.Anthropic, true, good(), cut()), claude(1)...)
	if m := a.refusal(t); !strings.HasPrefix(m, "messages.2.content.0.image.source.base64: cannot identify image file") {
		t.Errorf("%q", m)
	}
}

// Bedrock's way to name a block is none that Claude Code understands.
func TestForeignPathIsTranslated(t *testing.T) {
	t.Parallel()
	for message, prefixed := range map[string]bool{
		"messages.1.content.0.image.source.base64: Could not process image":                   false,
		"Value at 'messages.2.member.content.1.member.image.format': Could not process image": true,
	} {
		bad := fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"`+message+`"}}`)
		r := start(t, fakeapi.Always(bad), nil)
		a := r.post(ask(fakeapi.Anthropic, true, good(), good()), claude(1)...)
		want := message
		if prefixed {
			want = "messages.1.content.0.image.source.base64: " + message
		}
		if m := a.refusal(t); m != want {
			t.Errorf("%q, want %q", m, want)
		}
	}
}

// To forget one of two substitutions must not lose the other in a fork.
func TestForgottenSubstitutionInAFork(t *testing.T) {
	t.Parallel()
	p, q := cut(), cut()
	r := start(t, fakeapi.Refusing(p.needle(), q.needle()), style(policy.Repair))
	c := ask(fakeapi.Anthropic, true, p)
	r.substituted(c, session(1), p)
	signature := r.listed()[0]["signature"].(string)
	c.turns = append(c.turns, said("noted"), q)
	r.substituted(c, session(1), p, q)
	r.reserved("DELETE", "/-/breakers/"+signature)
	r.api.Play(fakeapi.Refusing(q.needle()))
	r.substituted(c.then("x"), session(2), q)
	if n := r.api.Uploads(q.needle()); n != 1 {
		t.Errorf("%d uploads", n)
	}
}

// A session of its own that begins in the same way is no fork once its image
// has gone well there.
func TestSameBeginningIsNoFork(t *testing.T) {
	t.Parallel()
	p := good()
	r := start(t, fakeapi.Refusing(p.needle()), style(policy.Repair))
	c := ask(fakeapi.Anthropic, true, p)
	r.substituted(c, session(1), p)
	r.api.Play(fakeapi.Refusing())
	r.passed(c, session(2)...)
	r.passed(c.then("x"), session(2)...)
}

func TestUncertainAttributionIsNotAnnotated(t *testing.T) {
	t.Parallel()
	r := start(t, fakeapi.Always(fakeapi.BadImage(fakeapi.Anthropic)), nil)
	r.passed(ask(fakeapi.Anthropic, true, good(), good()), claude(1)...).untouched(t, fakeapi.BadImage(fakeapi.Anthropic))
}

// A JSON-demanding repeat is no prose in any style; a later turn goes on in auto.
func TestJSONDemand(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		for _, s := range []policy.Style{policy.Auto, policy.Message, policy.Failed} {
			p := cut()
			r := start(t, fakeapi.Refusing(p.needle()), style(s))
			c := ask(api, false, p)
			r.passed(c, session(1)...)
			c.json = true
			r.rejected(c, session(1)...).refusal(t)
			if s == policy.Auto {
				r.substituted(c.then("x"), session(1), p)
			} else {
				r.rejected(c.then("x"), session(1)...).refusal(t)
			}
		}
	}
}

// Codex's compaction, in both of its forms, is never answered with prose.
func TestCompaction(t *testing.T) {
	t.Parallel()
	p := cut()
	for _, s := range []policy.Style{policy.Auto, policy.Message, policy.Failed} {
		r := start(t, fakeapi.Refusing(p.needle()), style(s))
		c := ask(fakeapi.Responses, true, p)
		r.passed(c, "session-id", "s")
		header := []string{"session-id", "s", "x-codex-turn-metadata", `{"request_kind":"compaction"}`}
		trigger := strings.TrimSuffix(c.body(), "}")
		trigger = strings.Replace(trigger, `],"model"`, `,{"type":"compaction_trigger"}],"model"`, 1) + "}"
		if s == policy.Failed {
			r.rejected(c, header...).refusal(t)
			r.send(c.path(), trigger, "session-id", "s").refusal(t)
			continue
		}
		r.substituted(c, header, p)
		a := r.send(c.path(), trigger, "session-id", "s")
		if !strings.HasPrefix(a.header.Get("X-Imagebreaker"), "repaired") || !strings.Contains(a.body, "all good") {
			t.Errorf("%s: %d %s", s, a.status, a.body)
		}
		if n := r.api.Uploads(p.needle()); n != 1 {
			t.Errorf("%s: %d uploads", s, n)
		}
	}
}

// refusingFirst complains about the first of the pictures that is still there,
// with its path.
func refusingFirst(ps ...picture) fakeapi.Script {
	return func(q fakeapi.Request) fakeapi.Answer {
		for _, p := range ps {
			var b struct {
				Messages []struct{ Content json.RawMessage }
			}
			json.Unmarshal(q.Body, &b)
			for i, m := range b.Messages {
				if bytes.Contains(m.Content, []byte(p.needle())) {
					return fakeapi.JSON(400, fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":"messages.%d.content.0.image.source.base64: Could not process image"}}`, i))
				}
			}
		}
		return fakeapi.Success(fakeapi.Anthropic, true, "all good")
	}
}

func TestSeveralBadImages(t *testing.T) {
	t.Parallel()
	x, g, y := cut(), good(), cut()
	r := start(t, refusingFirst(x, y), style(policy.Repair))
	r.substituted(ask(fakeapi.Anthropic, true, x, g, y), session(1), x, y)
	r.wantEvents("failure_recorded", "failure_recorded", "repaired")
}

func TestEightResends(t *testing.T) {
	t.Parallel()
	var ps []picture
	for range 10 {
		ps = append(ps, cut())
	}
	r := start(t, refusingFirst(ps...), style(policy.Repair))
	a := r.post(ask(fakeapi.Anthropic, true, ps...), session(1)...)
	a.refusal(t)
	if n := len(r.api.Requests()); n != 9 {
		t.Errorf("%d uploads, want 9", n)
	}
}

// The attribution is not certain: all that are not known good are replaced, and the
// answer says so.
func TestUnsureSubstitution(t *testing.T) {
	t.Parallel()
	proven, a, bad := good(), good(), good()
	r := start(t, fakeapi.Refusing(bad.needle()), style(policy.Repair))
	r.passed(ask(fakeapi.Anthropic, true, proven), session(1)...)
	c := ask(fakeapi.Anthropic, true, proven, a, bad)
	r.substituted(c, session(1), a, bad)
	got := r.post(c.then("x"), session(1)...)
	if got.header.Get("X-Imagebreaker-Replaced") == "" || got.status != 200 {
		t.Errorf("%d %v", got.status, got.header)
	}
	es := r.wantEvents("failure_recorded", "repaired", "repaired")
	wantImages(t, es[1], a, bad)
	if es[1].Verdict != "suspect" || es[2].Verdict != "suspect" {
		t.Errorf("%+v", es[1:])
	}
}

// Above a count the oldest images give way; without a count nothing can.
func TestTooMany(t *testing.T) {
	t.Parallel()
	var ps []picture
	for range 5 {
		ps = append(ps, good())
	}
	limit := func(n int, text string) fakeapi.Script {
		return func(q fakeapi.Request) fakeapi.Answer {
			has := 0
			for _, p := range ps {
				has += strings.Count(string(q.Body), p.needle())
			}
			if has > n {
				return fakeapi.JSON(400, `{"error":{"message":"`+text+`","type":"BadRequestError","param":"image","code":400}}`)
			}
			return fakeapi.Success(fakeapi.Chat, true, "all good")
		}
	}
	r := start(t, limit(3, "At most 3 image(s) may be provided in one prompt."), style(policy.Repair))
	r.substituted(ask(fakeapi.Chat, true, ps...), session(1), ps[:2]...)
	r = start(t, limit(3, "At most 3 image(s) may be provided in one prompt."), nil)
	c := ask(fakeapi.Chat, true, ps...)
	r.passed(c, session(1)...)
	r.rejected(c, session(1)...)
	r.substituted(c.then("x"), session(1), ps[:2]...)
}

// A request that nothing can be replaced in is answered after all.
func TestWhatCannotBeSubstitutedIsAnswered(t *testing.T) {
	t.Parallel()
	p := cut()
	shot := `{"model":"m","input":[{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,` + p.b64() + `"}}],"stream":false}`
	for _, s := range []policy.Style{policy.Auto, policy.Repair} {
		r := start(t, fakeapi.Refusing(p.needle()), style(s))
		r.send("/v1/responses", shot, session(1)...)
		a := r.send("/v1/responses", strings.Replace(shot, `"m"`, `"m","x":1`, 1), session(1)...)
		if n := len(r.api.Requests()); n != 1 || !strings.HasPrefix(a.header.Get("X-Imagebreaker"), "short-circuited") {
			t.Errorf("%s: %d uploads, %d %s", s, n, a.status, a.body)
		}
	}
}

// A compressed body goes up without its encoding once an image is substituted.
func TestSubstitutionInACompressedBody(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), nil)
	c := ask(fakeapi.Responses, true, p)
	r.passed(c, session(1)...)
	later := c.then("x")
	r.send(later.path(), string(compress(t, "zstd", []byte(later.body()))), append(session(1), "Content-Encoding", "zstd")...)
	seen := r.api.Requests()
	last := seen[len(seen)-1]
	if enc := last.Header.Get("Content-Encoding"); enc != "" || last.Length != int64(len(last.Body)) {
		t.Errorf("Content-Encoding %q, length %d of %d", enc, last.Length, len(last.Body))
	}
	putBack(t, later, string(last.Body), p)
}

// strict is an upstream that signs its answers: it rejects a request in which
// anything before an earlier answer of its own has changed.
type strict struct {
	bad    string
	signed map[string]bool
}

func (s *strict) answer(q fakeapi.Request) fakeapi.Answer {
	text := string(q.Body)
	if i := strings.LastIndex(text, `"role":"assistant"`); i >= 0 && !s.signed[imagehash.Of([]byte(text[:i])).Short()] && strings.Contains(text, "SIGNED") {
		return fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages: thinking blocks cannot be modified"}}`)
	}
	if strings.Contains(text, s.bad) {
		return fakeapi.BadImage(fakeapi.Anthropic)
	}
	// What may come before the next answer: this request's messages.
	end := strings.LastIndex(text, `],"model"`)
	s.signed[imagehash.Of([]byte(text[:end]+`,{"content":"SIGNED",`)).Short()] = true
	return fakeapi.Success(fakeapi.Anthropic, true, "SIGNED")
}

// Ten turns, a restart in the middle, a fork: no earlier answer is invalidated.
func TestStrictUpstream(t *testing.T) {
	t.Parallel()
	p := cut()
	up := &strict{p.needle(), map[string]bool{}}
	api, err := fakeapi.Start(up.answer)
	must(t, err)
	defer api.Close()
	ups, err := upstream.Parse(api.URL)
	must(t, err)
	state := filepath.Join(t.TempDir(), "repairs.json")
	memory := substitution.Open(substitution.Config{Path: state})
	set := func(c *proxy.Config) { c.Reply, c.Substitutions, c.Upstreams, c.Now = policy.Repair, memory, ups, nil }
	r := start(t, fakeapi.Refusing(), set)
	c := ask(fakeapi.Anthropic, true, p)
	for turn := range 10 {
		if a := r.post(c, session(1)...); a.status != 200 {
			t.Fatalf("turn %d: %d %s", turn, a.status, a.body)
		}
		c.turns = append(c.turns, said("SIGNED"), fmt.Sprintf("turn %d", turn))
		if turn == 5 {
			r.finish()
			memory.Close()
			memory = substitution.Open(substitution.Config{Path: state})
			r = start(t, fakeapi.Refusing(), set)
		}
	}
	fork := c
	for range 3 {
		if a := r.post(fork, session(2)...); a.status != 200 {
			t.Errorf("fork: %d %s", a.status, a.body)
		}
		fork.turns = append(slices.Clone(fork.turns), said("SIGNED"), "and on")
	}
	r.finish()
	memory.Close()
}

// Without a common past another session is another session.
func TestSameImageInAnotherSessionIsNoFork(t *testing.T) {
	t.Parallel()
	p := cut()
	r := start(t, fakeapi.Refusing(p.needle()), style(policy.Repair))
	c := ask(fakeapi.Anthropic, true, p)
	r.substituted(c, session(1), p)
	r.substituted(c, session(2), p)
	if n := r.api.Uploads(p.needle()); n != 2 {
		t.Errorf("%d uploads, want one a session", n)
	}
}

// A person takes minutes for the next message. It is no probe.
func TestLaterTurnAfterTheCoolOff(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		p := cut()
		r := start(t, fakeapi.Refusing(p.needle()), nil)
		c := ask(api, true, p)
		r.passed(c, session(1)...)
		r.clock.advance(5 * time.Minute)
		r.substituted(c.then("go on"), session(1), p)
		if n := r.api.Uploads(p.needle()); n != 1 {
			t.Errorf("%s: %d uploads", api, n)
		}
		r.passed(c, session(2)...) // elsewhere it is unknown
	}
}

// A substitution that is given up, because what would be left is rejected as well,
// changes nothing: the request goes up as the one probe that there is.
func TestGivenUpSubstitutionKeepsItsProbe(t *testing.T) {
	t.Parallel()
	a, x, y := cut(), good(), good()
	tooMany := fakeapi.JSON(400, `{"error":{"message":"At most 1 image(s) may be provided in one prompt.","type":"BadRequestError","param":"image","code":400}}`)
	r := start(t, fakeapi.InTurn(fakeapi.BadImage(fakeapi.Chat), tooMany), nil)
	alone, set := ask(fakeapi.Chat, true, a), ask(fakeapi.Chat, true, x, y)
	all := ask(fakeapi.Chat, true, a, x, y).then("go on")
	r.passed(alone, session(1)...)
	r.clock.advance(31 * time.Second) // what is known of a is half-open
	r.passed(set, session(1)...)      // and what is known of x with y is open
	answer := make(chan struct{})
	busy := fakeapi.JSON(503, `{"error":{"message":"busy"}}`)
	busy.Before = answer
	asked := make(chan string, 1)
	r.api.Play(func(q fakeapi.Request) fakeapi.Answer { asked <- string(q.Body); return busy })
	var probe sync.WaitGroup
	probe.Go(func() { r.post(all, session(1)...) })
	if body := <-asked; body != all.body() {
		t.Errorf("not as it came: %.300s", body)
	}
	r.rejected(alone, session(1)...) // a second probe must not go
	close(answer)
	probe.Wait()
	r.api.Play(fakeapi.Refusing())
	r.passed(alone, session(1)...) // nothing was proven: this is the next probe
	r.wantEvents("failure_recorded", "failure_recorded", "short_circuited", "probe_sent", "recovered")
}

// FuzzSubstitution generates conversations: with the images put back, a substituted body
// is what was sent, and it is JSON.
func FuzzSubstitution(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, "text \"quoted\" \\ \u00e9 \U0001F600", byte(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string, which byte) {
		r := rand.New(rand.NewPCG(seed, 3))
		api := apis[int(which)%len(apis)]
		c := talk{api: api, stream: true}
		var bad []picture
		for range 1 + r.IntN(6) {
			switch r.IntN(4) {
			case 0:
				c.turns = append(c.turns, text)
			case 1:
				c.turns = append(c.turns, said(text))
			default:
				p := picture{kind: "image", label: "image/png", data: fmt.Appendf(nil, "picture %d %d", seed, r.Uint32())}
				c.turns = append(c.turns, file{"f.png", []picture{p}})
				if r.IntN(2) == 0 {
					bad = append(bad, p)
				}
			}
		}
		body := []byte(c.body())
		var sums []imagehash.Sum
		for _, p := range bad {
			sums = append(sums, p.sum())
		}
		got := proxy.Splice(t, c.path(), body, sums)
		if !json.Valid(got) {
			t.Fatalf("not JSON: %s", got)
		}
		putBack(t, c, string(got), bad...)
	})
}
