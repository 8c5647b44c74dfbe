package proxy_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/substitution"
)

// What may turn up where, by contract. Everything else turns up nowhere but
// where it was sent to.
var (
	mayBeLogged = []string{"session", "model", "logid"}
	// An answer of our own tells the file's name and the upstream's words, and
	// goes to the client that sent the model's name.
	mayBeAnswered = []string{"file", "errorwords", "errorcode", "model"}
)

// ending is a way in which requests can end, with the events by which the log
// tells that they did.
type ending struct {
	name   string
	set    func(*proxy.Config)
	up     func(n int, q fakeapi.Request) (int, string, error) // status and body
	mangle func(body string) string
	header []string
	fault  string // the step that panics
	want   []string
}

func refuses(status int, body string) func(int, fakeapi.Request) (int, string, error) {
	return func(int, fakeapi.Request) (int, string, error) { return status, body, nil }
}

// refusesImages refuses what still has the payload.
func refusesImages(n int, q fakeapi.Request) (int, string, error) {
	if strings.Contains(string(q.Body), planted("@payload@")) {
		return 400, canaryError, nil
	}
	return 200, canarySuccess, nil
}

func endings() []ending {
	broken := errors.New("proxyconnect tcp: https://@erroruser@:@errorpassword@@errorhost@.test/@errorpath@?key=@errorquery@: no route")
	all := []ending{
		{name: "success", up: refuses(200, canarySuccess)},
		{name: "images refused", up: refusesImages, want: []string{"failure_recorded", "short_circuited", "repaired"}},
		{name: "all refused", up: refuses(400, canaryError), want: []string{"failure_recorded", "short_circuited"}},
		{name: "refused with 500", up: refuses(500, canaryError), want: []string{"failure_recorded", "short_circuited"}},
		{name: "a URL refused", up: refuses(400, canaryFetch), want: []string{"failure_recorded"}},
		{name: "too many", up: refuses(400, canaryMany), want: []string{"failure_recorded"}},
		{name: "refused, then not", up: func(n int, q fakeapi.Request) (int, string, error) {
			if n%3 == 1 {
				return 400, canaryError, nil
			}
			return 200, canarySuccess, nil
		}, want: []string{"recovered"}},
		{name: "an error inside a 200", up: refuses(200, canaryError), want: []string{"failure_recorded"}},
		{name: "an error inside a stream", up: refuses(200, "event: error\ndata: "+canaryError+"\n\n"), want: []string{"failure_recorded", "short_circuited"}},
		{name: "another error", up: refuses(429, canaryOther), want: []string{"upstream_error"}},
		{name: "a page", up: refuses(502, "<html><body>@errorwords@ @errorpage@</body></html>"), want: []string{"upstream_error"}},
		{name: "unreachable", up: func(int, fakeapi.Request) (int, string, error) { return 0, "", broken }, want: []string{"upstream_error"}},
		{name: "dry run", set: func(c *proxy.Config) { c.Mode = policy.DryRun }, up: refuses(400, canaryError), want: []string{"failure_recorded", "would_short_circuit"}},
		{name: "off", set: func(c *proxy.Config) { c.Mode = policy.Off }, up: refuses(400, canaryError)},
		{name: "preflight", set: func(c *proxy.Config) { c.Preflight = true }, up: refuses(200, canarySuccess), want: []string{"short_circuited"}},
		{name: "too large", set: func(c *proxy.Config) { c.BodyLimit = 100 }, up: refuses(400, canaryError), want: []string{"forwarded_unseen"}},
		{name: "no JSON", mangle: func(b string) string { return b[:len(b)-1] }, up: refuses(400, canaryError), want: []string{"forwarded_unseen"}},
		{name: "bad encoding", header: []string{"Content-Encoding", "@encoding@"}, up: refuses(400, canaryError), want: []string{"forwarded_unseen"}},
		{name: "a request id that is one", up: func(int, fakeapi.Request) (int, string, error) { return 429, "@errorwords@ id", nil }, want: []string{"upstream_error"}},
	}
	for _, stage := range []string{"inspect", "decide", "judge", "observe", "react", "record"} {
		all = append(all, ending{
			name: "fault in " + stage, fault: stage, up: refusesImages, want: []string{"internal_error"},
			set: func(c *proxy.Config) { c.Preflight = true },
		})
	}
	return all
}

// play is a proxy that ends requests in one way, and what there is to see of it.
type play struct {
	*testing.T
	proxy      *proxy.Proxy
	clock      *clock
	log, state string
	finish     func()
	sent       []string // what has gone up
	answers    []string // of our own
	pages      []string
}

func newPlay(t *testing.T, e ending, s policy.Style) *play {
	t.Helper()
	dir := t.TempDir()
	p := &play{T: t, clock: &clock{t: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, log: filepath.Join(dir, "events.jsonl"), state: filepath.Join(dir, "repairs.json")}
	warn := func(s string) { t.Error(s) }
	log, err := eventlog.Open(eventlog.Config{Path: p.log, Now: p.clock.now, Warn: warn})
	must(t, err)
	memory := substitution.Open(substitution.Config{Path: p.state, Now: p.clock.now, Warn: warn})
	p.finish = func() { log.Close(); memory.Close() }
	n := 0
	up := upstreamFunc(func(q fakeapi.Request) (fakeapi.Answer, error) {
		n++
		p.sent = append(p.sent, q.URI, fmt.Sprint(q.Header), string(q.Body))
		status, body, err := e.up(n, q)
		if err != nil {
			return fakeapi.Answer{}, errors.New(planted(err.Error()))
		}
		h := http.Header{}
		for name, values := range canaryAnswerHeaders {
			h[name] = []string{planted(values[0])}
		}
		if strings.HasPrefix(body, "event:") {
			h.Set("Content-Type", "text/event-stream")
		}
		if strings.HasSuffix(body, " id") {
			h.Set("Request-Id", canary("logid"))
		}
		return fakeapi.Answer{Status: status, Header: h, Body: []byte(planted(body))}, nil
	})
	p.proxy = inMemory(up, func(c *proxy.Config) {
		c.Reply, c.Log, c.Substitutions, c.Now = s, log, memory, p.clock.now
		if e.set != nil {
			e.set(c)
		}
	})
	if e.fault != "" {
		proxy.InjectFault(p.proxy, func(stage string) {
			if stage == e.fault {
				panic(canary("panic"))
			}
		})
	}
	return p
}

// request sends a turn and keeps the answer if it is of our own.
func (p *play) request(method, path, body string, headers []string) {
	p.Helper()
	a := call(p.proxy, method, planted(path), planted(body), slices.Collect(func(yield func(string) bool) {
		for _, h := range headers {
			if !yield(planted(h)) {
				return
			}
		}
	})...)
	made := a.header.Get("X-Imagebreaker")
	ours := strings.HasPrefix(made, "short-circuited") || strings.HasPrefix(made, "downgraded") || strings.Contains(a.body, "imagebreaker: ")
	if ours {
		// What the upstream sent beside the body of a downgraded error is passed on.
		h := a.header.Clone()
		for name := range canaryAnswerHeaders {
			if !strings.HasPrefix(made, "short-circuited") {
				h.Del(name)
			}
		}
		p.answers = append(p.answers, a.body, fmt.Sprint(h))
	}
}

// tell plays an API's conversation: a turn, the same again, one that goes on,
// one when the cool-off is over, and a count.
func (p *play) tell(c canaryTalk, e ending, session []string) {
	p.Helper()
	headers := slices.Concat(canaryHeaders, session, e.header)
	first, later := strings.Replace(c.body, "LATER", "", 1), strings.Replace(c.body, "LATER", c.later, 1)
	if e.mangle != nil {
		first, later = e.mangle(first), e.mangle(later)
	}
	for _, body := range []string{first, first, later, later} {
		p.request(http.MethodPost, c.path, body, headers)
	}
	p.clock.advance(time.Minute)
	p.request(http.MethodPost, c.path, first, headers)
	p.request(http.MethodPost, c.path, first, headers)
	if c.count != "" {
		p.request(http.MethodPost, c.count, first, headers)
	}
	p.request(http.MethodGet, "/@prefix@/v1/responses?key=@query@", "", slices.Concat(headers, []string{"Upgrade", "websocket", "Connection", "Upgrade", "Sec-Websocket-Protocol", "@protocol@"}))
	for _, page := range []string{"/-/breakers", "/-/healthy", "/-/metrics", "/-/", "/-/@page@?key=@query@"} {
		a := call(p.proxy, http.MethodGet, planted(page), "")
		p.pages = append(p.pages, a.body, fmt.Sprint(a.header))
	}
}

// leaks looks for canaries in a text where only some may be.
func (p *play) leaks(where, text string, fields []string, may ...string) {
	p.Helper()
	for _, f := range fields {
		if slices.Contains(may, f) {
			continue
		}
		for _, form := range forms(f) {
			if i := strings.Index(text, form); i >= 0 {
				p.Errorf("%s holds %s: …%s…", where, f, text[max(0, i-100):min(len(text), i+100)])
				break
			}
		}
	}
}

// forms are the forms in which a canary can turn up.
func forms(field string) []string {
	w := canary(field)
	if field == "payload" {
		b := planted("@payload@")
		return []string{w, b[10:26], b[len(b)-18 : len(b)-2]}
	}
	return []string{w, strings.ToUpper(w), base64.StdEncoding.EncodeToString([]byte(w)), fmt.Sprintf("%x", w), url.QueryEscape(w)}
}

func canaryFields(talks map[string]canaryTalk) []string {
	texts := slices.Concat(canaryHeaders, []string{canaryError, canaryOther, canaryFetch, canaryMany, canarySuccess, "@session@ @page@ @protocol@ @panic@ @errorpage@ @encoding@ @logid@"})
	for _, t := range talks {
		texts = append(texts, t.path, t.count, t.body, t.later)
	}
	for _, v := range canaryAnswerHeaders {
		texts = append(texts, v...)
	}
	fields := fieldsIn(texts...)
	slices.Sort(fields)
	return slices.Compact(fields)
}

// Nothing that a request or an answer holds gets anywhere but to the other side:
// not into the log, the state, the pages, or an answer of our own. What may is
// in a short list.
func TestCanaries(t *testing.T) {
	t.Parallel()
	talks := canaryTalks()
	fields := canaryFields(talks)
	sessions := [][]string{nil, {"X-Session-Id", "@session@"}, {"X-Claude-Code-Session-Id", "@session@"}}
	styles := []policy.Style{policy.Auto, policy.Message, policy.Failed, policy.Repair}
	if raced { // much work for one goroutine
		sessions, styles = sessions[1:2], styles[:1]
	}
	for _, e := range endings() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			seen := map[string]bool{}
			for _, s := range styles {
				p := newPlay(t, e, s)
				for _, name := range slices.Sorted(maps.Keys(talks)) {
					for _, session := range sessions {
						p.tell(talks[name], e, session)
					}
				}
				p.finish()
				log, err := os.ReadFile(p.log)
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				state, _ := os.ReadFile(p.state) // there is none where nothing was replaced
				p.leaks("the log", string(log), fields, mayBeLogged...)
				p.leaks("the state", string(state), fields)
				p.leaks("a page", strings.Join(p.pages, "\n"), fields, "session", "model")
				p.leaks("an answer", strings.Join(p.answers, "\n"), fields, mayBeAnswered...)
				for _, ev := range readEvents(t, p.log) {
					seen[string(ev.Event)] = true
				}
				p.wantSent(talks, fields)
			}
			for _, event := range e.want {
				if !seen[event] {
					t.Errorf("no %s: the test has not seen what it is for", event)
				}
			}
			if len(e.want) == 0 && e.name == "off" && len(seen) > 0 {
				t.Errorf("logged in mode off: %v", seen)
			}
		})
	}
}

// wantSent wants every field of the requests to have gone up: a canary that was
// never set free proves nothing.
func (p *play) wantSent(talks map[string]canaryTalk, fields []string) {
	p.Helper()
	if len(p.sent) == 0 {
		p.Fatal("nothing was sent")
	}
	sent := strings.Join(p.sent, "\n")
	var bodies []string
	for _, t := range talks {
		bodies = append(bodies, t.path, t.body)
	}
	for _, f := range fieldsIn(bodies...) {
		ofImage := f == "payload" || f == "mediatype" // which preflight keeps back
		if !ofImage && !strings.Contains(sent, canary(f)) {
			p.Errorf("%s was not sent", f)
		}
	}
}
