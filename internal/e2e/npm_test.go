package e2e_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"imagebreaker/internal/fakeapi"
)

// npmClients are the official SDKs of npm, and the ai package with its
// providers. Their calls are in the folder npm.
func npmClients() []client {
	own := func(api fakeapi.API) sdk { return npmSDK{"npm", api} }
	ai := func(api fakeapi.API) sdk { return npmSDK{"ai", api} }
	compatible := npmSDK{"ai_compatible", fakeapi.Chat}
	return []client{
		{sdk: own(fakeapi.Anthropic)},
		{sdk: own(fakeapi.Anthropic), stream: true},
		{sdk: own(fakeapi.Chat)},
		{sdk: own(fakeapi.Chat), stream: true},
		{sdk: own(fakeapi.Chat), stream: true, usage: true},
		{sdk: own(fakeapi.Responses)},
		{sdk: own(fakeapi.Responses), stream: true},
		{sdk: own(fakeapi.Gemini)},
		{sdk: own(fakeapi.Gemini), stream: true},
		{sdk: ai(fakeapi.Anthropic)},
		{sdk: ai(fakeapi.Anthropic), stream: true},
		{sdk: ai(fakeapi.Chat)},
		{sdk: ai(fakeapi.Chat), stream: true, usage: true}, // it always asks for it
		{sdk: ai(fakeapi.Responses)},
		{sdk: ai(fakeapi.Responses), stream: true},
		{sdk: ai(fakeapi.Gemini)},
		{sdk: ai(fakeapi.Gemini), stream: true},
		{sdk: compatible},
		{sdk: compatible, stream: true},
		{sdk: compatible, stream: true, usage: true},
	}
}

// npmSDK is an API in a package of npm: npm stands for the API's own, ai and
// ai_compatible for the ai package.
type npmSDK struct {
	pkg  string
	wire fakeapi.API
}

func (s npmSDK) name() string     { return s.pkg }
func (s npmSDK) api() fakeapi.API { return s.wire }

func (s npmSDK) ask(r *rig, q question) (reply, error) {
	got, err := npm(r.T).ask(npmQuestion{
		SDK: s.pkg, API: s.wire, URL: r.url, Stream: r.stream, Usage: r.usage,
		Model: model, LookAt: lookAt, GoOn: goOn,
		Picture: q.picture.base64(), Answer: q.answer, Session: q.session, Tool: q.tool, JSON: q.json,
	})
	switch {
	case err != nil:
		return reply{}, err
	case got.Refusal != nil:
		return reply{}, got.Refusal
	case got.Reply == nil:
		return reply{}, fmt.Errorf("no error of the SDK: %s", got.Fault)
	}
	a := got.Reply
	return reply{text: a.Text, streamed: a.Streamed, role: a.Role, model: a.Model, finish: a.Finish, usage: a.Usage, tokens: a.Tokens}, nil
}

func (npmSDK) refusal(err error) (refusal, bool) {
	e, ok := err.(*npmRefusal)
	if !ok {
		return refusal{}, false
	}
	return refusal{status: e.Status, kind: e.Kind, code: e.Code, message: e.Message}, true
}

// npmQuestion is a question with all that it takes to ask it, as npm/main.mjs
// reads it.
type npmQuestion struct {
	ID      int         `json:"id"`
	SDK     string      `json:"sdk"`
	API     fakeapi.API `json:"api"`
	URL     string      `json:"url"`
	Stream  bool        `json:"stream"`
	Usage   bool        `json:"usage"`
	Model   string      `json:"model"`
	LookAt  string      `json:"lookAt"`
	GoOn    string      `json:"goOn"`
	Picture string      `json:"picture"`
	Answer  string      `json:"answer"`
	Session string      `json:"session"`
	Tool    bool        `json:"tool"`
	JSON    bool        `json:"json"`
}

// npmResult is what npm/main.mjs prints: one of the three.
type npmResult struct {
	ID    int
	Reply *struct {
		Text, Streamed, Role, Model, Finish string
		Usage                               bool
		Tokens                              int64
	}
	Refusal *npmRefusal
	Fault   string
}

type npmRefusal struct {
	Status              int
	Kind, Code, Message string
}

func (e *npmRefusal) Error() string { return fmt.Sprintf("%+v", *e) }

// theNode is started by the first test that needs it and serves all of them: to
// load the SDKs takes longer than all that they are asked.
var theNode = sync.OnceValues(func() (*node, error) {
	n, err := startNode()
	if err != nil {
		fmt.Fprintln(os.Stderr, "npm SDKs: not run:", err)
	} else {
		fmt.Fprintln(os.Stderr, "npm SDKs: run with Node", n.version)
	}
	return n, err
})

// npm is the process in which the SDKs are. A machine that cannot have one skips
// the test, unless IMAGEBREAKER_E2E_NPM is "require".
func npm(t *testing.T) *node {
	t.Helper()
	n, err := theNode()
	if _, ok := err.(absent); ok && os.Getenv("IMAGEBREAKER_E2E_NPM") != "require" {
		t.Skip(err)
	}
	must(t, err)
	return n
}
