package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
)

// sdk is one of the official clients.
type sdk interface {
	name() string
	api() fakeapi.API
	// ask puts the question as a program would and reads the answer to its end.
	ask(r *rig, q question) (reply, error)
	// refusal reads the SDK's error for an answer that is one.
	refusal(err error) (refusal, bool)
}

// client is an SDK and the form in which it wants its answers.
type client struct {
	sdk
	stream bool
	usage  bool // ask for the usage at the stream's end
}

func (c client) String() string {
	return c.name() + "/" + string(c.api()) + map[bool]string{false: "/json", true: "/stream"}[c.stream] + map[bool]string{true: "_usage"}[c.usage]
}

// everyClient runs a test for each SDK and form, side by side.
func everyClient(t *testing.T, test func(t *testing.T, c client)) {
	t.Helper()
	t.Parallel()
	for _, c := range append(goClients(), npmClients()...) {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// goClients are the official SDKs for Go.
func goClients() []client {
	return []client{
		{sdk: anthropicSDK{}},
		{sdk: anthropicSDK{}, stream: true},
		{sdk: chatSDK{}},
		{sdk: chatSDK{}, stream: true},
		{sdk: chatSDK{}, stream: true, usage: true},
		{sdk: responsesSDK{}},
		{sdk: responsesSDK{}, stream: true},
		{sdk: geminiSDK{}},
		{sdk: geminiSDK{}, stream: true},
	}
}

// finish is what the client shows of an answer that is whole, and role whose the
// answer is. The ai package has one word for all APIs and a role of its own.
func (c client) finish() string {
	if strings.HasPrefix(c.name(), "ai") {
		return "stop"
	}
	return finished[c.api()]
}

func (c client) role() string {
	if strings.HasPrefix(c.name(), "ai") {
		return ""
	}
	return speaker[c.api()]
}

// model is the one that all questions are for.
const model = "the-model"

// lookAt and goOn are the user's words.
const lookAt, goOn = "please look", "never mind, go on"

// anObject is the least JSON schema that APIs take.
var anObject = map[string]any{"type": "object"}

// question is a conversation that begins with an image.
type question struct {
	picture picture
	answer  string // what was said to it; empty: the first turn
	session string // as an agent's header; empty: none
	tool    bool   // declare one
	json    bool   // demand an answer in JSON
}

// reply is an answer as a program finds it in the SDK's own types.
type reply struct {
	text     string // of the finished answer
	streamed string // of the stream's pieces; the same as text without a stream
	role     string
	model    string
	finish   string
	usage    bool // it was given
	tokens   int64
}

// refusal is an API's error as a program finds it in the SDK's own type.
type refusal struct {
	status  int
	kind    string
	code    string
	message string
}
