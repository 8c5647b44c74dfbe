package proxy_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"imagebreaker/eventlog"
	"imagebreaker/imagehash"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/pages"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/upstream"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun"), // never ends, by its design
		goleak.IgnoreAnyFunction("gopkg.in/natefinch/lumberjack.v2.(*Logger).millRun"))
}

// clock is a clock that tests move by hand.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// rig is an upstream, the proxy before it, and a client, over real sockets.
type rig struct {
	*testing.T
	api    *fakeapi.Server
	proxy  *proxy.Proxy
	clock  *clock
	url    string
	client *http.Client
	path   string
	finish func()
}

// start runs a rig; set may change the proxy's configuration.
func start(t *testing.T, s fakeapi.Script, set func(*proxy.Config)) *rig {
	t.Helper()
	api, err := fakeapi.Start(s)
	must(t, err)
	k := &clock{t: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	path := filepath.Join(t.TempDir(), "events.jsonl")
	log, err := eventlog.Open(eventlog.Config{Path: path, Now: k.now, Warn: func(s string) { t.Error("log: " + s) }})
	must(t, err)
	ups, err := upstream.Parse(api.URL)
	must(t, err)
	transport := relay.NewTransport()
	c := proxy.Config{Upstreams: ups, Log: log, Now: k.now, Transport: transport, Address: "127.0.0.1:8788", ErrorWait: time.Minute}
	if set != nil {
		set(&c)
	}
	p := proxy.New(c)
	proxy.Poison(p)
	if len(t.Name())%2 == 0 { // half of the tests, so that both ways are tried with everything
		proxy.InspectAllEarly(p)
	}
	front := httptest.NewServer(withPages(p))
	client := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	r := &rig{T: t, api: api, proxy: p, clock: k, url: front.URL, client: &http.Client{Transport: client}, path: path}
	r.finish = sync.OnceFunc(func() {
		client.CloseIdleConnections()
		front.Close()
		transport.CloseIdleConnections()
		api.Close()
		log.Close()
	})
	t.Cleanup(func() { // after everything that the test starts
		// A transport closes a body when it comes to it, which may be after the answer.
		for patience := time.Now().Add(10 * time.Second); proxy.BuffersInUse(p) != 0; time.Sleep(time.Millisecond) {
			if time.Now().After(patience) {
				t.Errorf("%d bodies' memory is not back", proxy.BuffersInUse(p))
				return
			}
		}
	})
	t.Cleanup(r.finish)
	return r
}

// withPages is the proxy as the program serves it.
func withPages(p *proxy.Proxy) http.Handler { return pages.New(pages.Config{Memory: p}, p) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// events ends the rig and reads its log, without started and stopped.
func (r *rig) events() []eventlog.Event {
	r.Helper()
	r.finish()
	return readEvents(r.T, r.path)
}

// answer is a response read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

// send posts a body; headers are pairs.
func (r *rig) send(path, body string, headers ...string) answer {
	r.Helper()
	a, err := r.try(path, body, headers...)
	must(r.T, err)
	return a
}

func (r *rig) try(path, body string, headers ...string) (answer, error) {
	req, err := http.NewRequest(http.MethodPost, r.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	return answerFrom(resp)
}

func answerFrom(resp *http.Response) (answer, error) {
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(b)}, err
}

// post sends a turn of a conversation.
func (r *rig) post(c talk, headers ...string) answer {
	r.Helper()
	return r.send(c.path(), c.body(), headers...)
}

// rejected wants a turn answered without the upstream.
func (r *rig) rejected(c talk, headers ...string) answer {
	r.Helper()
	before := len(r.api.Requests())
	a := r.post(c, headers...)
	if n := len(r.api.Requests()); n != before {
		r.Fatalf("went to the upstream: %d %.500s", a.status, a.body)
	}
	if m := a.header.Get("X-Imagebreaker"); !strings.HasPrefix(m, "short-circuited; reason=") {
		r.Errorf("X-Imagebreaker %q", m)
	}
	return a
}

// passed wants a turn forwarded as it is.
func (r *rig) passed(c talk, headers ...string) answer {
	r.Helper()
	before := len(r.api.Requests())
	a := r.post(c, headers...)
	seen := r.api.Requests()
	if len(seen) == before {
		r.Fatalf("was short-circuited: %d %.500s", a.status, a.body)
	}
	if got := string(seen[len(seen)-1].Body); got != c.body() {
		r.Errorf("the upstream saw %.500q, sent %.500q", got, c.body())
	}
	return a
}

// untouched wants the upstream's own answer, byte for byte.
func (a answer) untouched(t *testing.T, want fakeapi.Answer) {
	t.Helper()
	body := string(want.Body) + strings.Join(want.Pieces, "")
	status := want.Status
	if status == 0 {
		status = http.StatusOK
	}
	if a.status != status || a.body != body {
		t.Errorf("got %d %.500q, the upstream said %d %.500q", a.status, a.body, status, body)
	}
	for name, values := range want.Header {
		if !slices.Equal(a.header[name], values) {
			t.Errorf("header %s: %q, the upstream said %q", name, a.header[name], values)
		}
	}
	if m := a.header.Get("X-Imagebreaker"); m != "" {
		t.Errorf("untouched answer carries X-Imagebreaker %q", m)
	}
}

// turn wants a finished assistant turn in the form that c asked for, and
// returns its text. That the SDKs accept it is tested with the SDKs.
func (a answer) turn(t *testing.T, c talk) string {
	t.Helper()
	want := "application/json"
	if c.stream {
		want = "text/event-stream"
	}
	if c.stream && c.onBedrock() {
		want = "application/vnd.amazon.eventstream"
		a.body = unframed(t, a.body)
	}
	if a.status != http.StatusOK || a.header.Get("Content-Type") != want {
		t.Errorf("got %d %q, want 200 %q: %s", a.status, a.header.Get("Content-Type"), want, a.body)
	}
	for _, mark := range map[fakeapi.API][]string{
		fakeapi.Anthropic: {"end_turn"}, fakeapi.Chat: {`"finish_reason":"stop"`}, fakeapi.Responses: {`"status":"completed"`}, fakeapi.Gemini: {`"finishReason":"STOP"`},
		fakeapi.Converse: {`"stopReason":"end_turn"`, `"totalTokens":0`}, fakeapi.Invoke: {`"end_turn"`},
	}[c.api] {
		if !strings.Contains(a.body, mark) {
			t.Errorf("no %s in %s", mark, a.body)
		}
	}
	if strings.Contains(a.body, "[DONE]") != (c.api == fakeapi.Chat && c.stream) {
		t.Errorf("[DONE] in the wrong place: %s", a.body)
	}
	return a.body
}

// refusal wants a 400 in the API's envelope and returns its message.
func (a answer) refusal(t *testing.T) string {
	t.Helper()
	var e struct {
		Error   struct{ Type, Status, Message string }
		Message string
	}
	err := json.Unmarshal([]byte(a.body), &e)
	if e.Message != "" { // Bedrock's, whose class is in a header
		e.Error.Message = e.Message
		e.Error.Type = map[string]string{"ValidationException": "invalid_request_error"}[a.header.Get("X-Amzn-Errortype")]
	}
	if err != nil || a.status != http.StatusBadRequest || e.Error.Type != "invalid_request_error" && e.Error.Status != "INVALID_ARGUMENT" {
		t.Errorf("got %d %.500s, want a 400 in the envelope", a.status, a.body)
	}
	return e.Error.Message
}

// picture is an image that a turn carries.
type picture struct {
	kind  string // image, document
	label string
	data  []byte
	url   string
}

func (p picture) b64() string { return base64.StdEncoding.EncodeToString(p.data) }

// needle is a part of a body by which the picture is known in it.
func (p picture) needle() string {
	if p.url != "" {
		return p.url
	}
	b := p.b64()
	return b[len(b)/2:]
}

func (p picture) sum() imagehash.Sum {
	if p.url != "" {
		return imagehash.Of([]byte(p.url))
	}
	return imagehash.Of(p.data)
}

var seed atomic.Uint64

// good is a small PNG that no other test has.
func good() picture {
	r := rand.New(rand.NewPCG(seed.Add(1), 5))
	im := image.NewRGBA(image.Rect(0, 0, 12, 12))
	for y := range 12 {
		for x := range 12 {
			v := r.Uint32()
			im.SetRGBA(x, y, color.RGBA{byte(v), byte(v >> 8), byte(v >> 16), 255})
		}
	}
	var b bytes.Buffer
	png.Encode(&b, im)
	return picture{kind: "image", label: "image/png", data: b.Bytes()}
}

// cut is a PNG whose end is missing.
func cut() picture {
	p := good()
	p.data = p.data[:len(p.data)*2/3]
	return p
}

func page(label string) picture {
	return picture{kind: "image", label: label, data: fmt.Appendf(nil, "<!DOCTYPE html>\n<html><head><title>404 %d</title></head></html>\n", seed.Add(1))}
}

func pointer() picture {
	return picture{kind: "image", label: "image/png", data: fmt.Appendf(nil, "version https://git-lfs.github.com/spec/v1\noid sha256:%064x\nsize 12345\n", seed.Add(1))}
}

func pdf() picture {
	return picture{kind: "document", label: "application/pdf", data: fmt.Appendf(nil, "%%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%% %d\ntrailer\n<<>>\n%%%%EOF\n", seed.Add(1))}
}

func remote(url string) picture { return picture{kind: "image", url: url} }

// talk is a conversation before it is written down.
type talk struct {
	api    fakeapi.API
	stream bool
	tools  bool
	json   bool
	count  bool
	model  string
	turns  []any // string: a user's text; picture: in a user's message; file: read by a tool; said: the assistant's
}

type file struct {
	name     string
	pictures []picture
}

type said string

// ask is the shortest conversation with pictures.
func ask(api fakeapi.API, stream bool, ps ...picture) talk {
	c := talk{api: api, stream: stream, turns: []any{"please look"}}
	for _, p := range ps {
		c.turns = append(c.turns, p)
	}
	return c
}

// read is a conversation in which a tool brought pictures.
func read(api fakeapi.API, stream bool, name string, ps ...picture) talk {
	return talk{api: api, stream: stream, turns: []any{"read " + name, file{name, ps}}}
}

// then is the conversation some time later.
func (c talk) then(text string) talk {
	c.turns = append(slices.Clone(c.turns), said("noted"), text)
	return c
}

func (c talk) path() string {
	switch {
	case c.api == fakeapi.Chat:
		return "/v1/chat/completions"
	case c.api == fakeapi.Responses:
		return "/v1/responses"
	case c.api == fakeapi.Gemini && c.count:
		return "/v1beta/models/the-model:countTokens"
	case c.api == fakeapi.Gemini && c.stream:
		return "/v1beta/models/the-model:streamGenerateContent?alt=sse"
	case c.api == fakeapi.Gemini:
		return "/v1beta/models/the-model:generateContent"
	case c.onBedrock():
		return c.bedrockPath()
	case c.count:
		return "/v1/messages/count_tokens"
	}
	return "/v1/messages?beta=true"
}

func (c talk) body() string {
	var list []any
	for i, turn := range c.turns {
		list = append(list, c.items(turn, i)...)
	}
	m := map[string]any{"model": c.model, "stream": c.stream}
	if c.model == "" {
		m["model"] = "the-model"
	}
	list = slices.Clip(list)
	switch c.api {
	case fakeapi.Responses:
		m["input"] = list
	case fakeapi.Gemini:
		m = map[string]any{"contents": list} // model and stream are in the path
	case fakeapi.Converse:
		m = map[string]any{"messages": list}
	case fakeapi.Invoke:
		m = map[string]any{"messages": list, "anthropic_version": "bedrock-2023-05-31"}
	default:
		m["messages"] = list
	}
	if c.tools && c.api == fakeapi.Converse {
		m["toolConfig"] = map[string]any{"tools": []any{map[string]any{"toolSpec": map[string]any{"name": "read"}}}}
	} else if c.tools {
		m["tools"] = []any{map[string]any{"type": "function", "name": "read"}}
	}
	if c.json {
		maps.Copy(m, map[fakeapi.API]map[string]any{
			fakeapi.Anthropic: {"output_config": map[string]any{"format": map[string]any{"type": "json_schema"}}},
			fakeapi.Chat:      {"response_format": map[string]any{"type": "json_object"}},
			fakeapi.Responses: {"text": map[string]any{"format": map[string]any{"type": "json_schema"}}},
			fakeapi.Gemini:    {"generationConfig": map[string]any{"responseMimeType": "application/json"}},
			fakeapi.Converse:  {"outputConfig": map[string]any{"textFormat": map[string]any{"type": "json_schema"}}},
			fakeapi.Invoke:    {"output_config": map[string]any{"format": map[string]any{"type": "json_schema"}}},
		}[c.api])
	}
	b, _ := json.Marshal(m)
	return string(b)
}

func (c talk) items(turn any, i int) []any {
	if c.api == fakeapi.Gemini {
		return c.contents(turn)
	}
	if c.api == fakeapi.Converse {
		return c.blocks(turn, i)
	}
	user := func(part any) []any { return []any{map[string]any{"role": "user", "content": []any{part}}} }
	id := fmt.Sprintf("call_%d", i)
	switch v := turn.(type) {
	case string:
		return user(map[string]any{"type": map[bool]string{true: "input_text", false: "text"}[c.api == fakeapi.Responses], "text": v})
	case said:
		return []any{map[string]any{"role": "assistant", "content": string(v)}}
	case picture:
		return user(c.part(v))
	case file:
		var parts []any
		for _, p := range v.pictures {
			parts = append(parts, c.part(p))
		}
		args := `{"file_path":"/home/you/` + v.name + `"}`
		switch c.api {
		case fakeapi.Anthropic, fakeapi.Invoke:
			return []any{
				map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Read", "input": json.RawMessage(args)}}},
				map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": parts}}},
			}
		case fakeapi.Responses:
			return []any{
				map[string]any{"type": "function_call", "call_id": id, "name": "view_image", "arguments": args},
				map[string]any{"type": "function_call_output", "call_id": id, "output": parts},
			}
		}
		return []any{
			map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "read", "arguments": args}}}},
			map[string]any{"role": "tool", "tool_call_id": id, "content": "read"},
			map[string]any{"role": "user", "content": parts},
		}
	}
	panic("no such turn")
}

func (c talk) contents(turn any) []any {
	content := func(role string, parts ...any) any { return map[string]any{"role": role, "parts": parts} }
	switch v := turn.(type) {
	case string:
		return []any{content("user", map[string]any{"text": v})}
	case said:
		return []any{content("model", map[string]any{"text": string(v)})}
	case picture:
		return []any{content("user", c.part(v))}
	case file:
		parts := []any{map[string]any{"functionResponse": map[string]any{"name": "read_file", "response": map[string]any{"output": "ok"}}}}
		for _, p := range v.pictures {
			parts = append(parts, c.part(p))
		}
		return []any{
			content("model", map[string]any{"functionCall": map[string]any{"name": "read_file", "args": map[string]any{"file_path": "/home/you/" + v.name}}}),
			content("user", parts...),
		}
	}
	panic("no such turn")
}

func (c talk) part(p picture) any {
	u := p.url
	if u == "" {
		u = "data:" + p.label + ";base64," + p.b64()
	}
	switch c.api {
	case fakeapi.Chat:
		return map[string]any{"type": "image_url", "image_url": map[string]any{"url": u}}
	case fakeapi.Responses:
		return map[string]any{"type": "input_image", "image_url": u}
	case fakeapi.Converse:
		return p.block()
	case fakeapi.Gemini:
		if p.url != "" {
			return map[string]any{"fileData": map[string]any{"fileUri": p.url}}
		}
		return map[string]any{"inlineData": map[string]any{"mimeType": p.label, "data": p.b64()}}
	}
	if p.url != "" {
		return map[string]any{"type": p.kind, "source": map[string]any{"type": "url", "url": p.url}}
	}
	return map[string]any{"type": p.kind, "source": map[string]any{"type": "base64", "media_type": p.label, "data": p.b64()}}
}

// session is a header that makes an agent's session.
func session(n int) []string { return []string{"X-Session-Id", fmt.Sprintf("ses_%d", n)} }

// claude is the header of Claude Code.
func claude(n int) []string {
	return []string{"X-Claude-Code-Session-Id", fmt.Sprintf("0000000%d-0000-4000-8000-000000000000", n)}
}

func style(s policy.Style) func(*proxy.Config) { return func(c *proxy.Config) { c.Reply = s } }

// deadAddress is one where nobody listens.
func deadAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	return ln.Addr().String()
}

var apis = []fakeapi.API{fakeapi.Anthropic, fakeapi.Chat, fakeapi.Responses, fakeapi.Gemini, fakeapi.Converse, fakeapi.Invoke}
