package protocol

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"imagebreaker/sse"
)

func TestBedrockPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ method, path, api, model string }{
		{"POST", "/model/a.b-v1:0/converse", "bedrock_converse", "a.b-v1:0"},
		{"POST", "/model/a.b-v1%3A0/converse-stream?x=1", "bedrock_converse", "a.b-v1:0"},
		{"POST", "/key/prefix/model/m/count-tokens", "bedrock_converse", "m"},
		{"POST", "/model/arn%3Aaws%3Abedrock%3A%3A1%3Acustom-model%2Fm%2F2/invoke", "bedrock_invoke", "arn:aws:bedrock::1:custom-model/m/2"},
		{"POST", "/model/arn:aws:bedrock::1:inference-profile/m/invoke-with-response-stream", "bedrock_invoke", "arn:aws:bedrock::1:inference-profile/m"},
		{"POST", "/model/a%2Fmodel%2Fb%2541/converse", "bedrock_converse", "a/model/b%41"},
		{"GET", "/model/m/converse", "", ""},
		{"POST", "/model//converse", "", ""},
		{"POST", "/model/converse", "", ""},
		{"POST", "/model/m/invoke-with-bidirectional-stream", "", ""},
		{"POST", "/model/m/async-invoke", "", ""},
		{"POST", "/models/m/converse", "", ""},
	} {
		u, err := url.Parse(c.path)
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		api, call, ok := All().Match(c.method, u, nil)
		if ok {
			name = api.Name()
		}
		if name != c.api || call.Model != c.model {
			t.Errorf("%s %s: %q, model %q", c.method, c.path, name, call.Model)
		}
	}
}

// What makes two of Converse's bodies one conversation.
func TestConverseConversation(t *testing.T) {
	t.Parallel()
	message := func(role, blocks string) string { return `{"role":"` + role + `","content":[` + blocks + `]}` }
	const first = `{"text":"a"}`
	for _, c := range []struct {
		name, one, other string
		same             bool
	}{
		{"cache points", message("user", first), message("user", first+`,{"cachePoint":{"type":"default"}}`), true},
		{"what the system says", message("user", first), message("user", first) + "," + message("system", first), true},
		{"text", message("user", first), message("user", `{"text":"b"}`), false},
		{"role", message("user", first), message("assistant", first), false},
		{"a tool's JSON", message("user", `{"toolResult":{"content":[{"json":{"a":1}}]}}`), message("user", `{"toolResult":{"content":[{"json":{"a":2}}]}}`), false},
		{"a tool's input", message("user", `{"toolUse":{"name":"x","input":{"a":1}}}`), message("user", `{"toolUse":{"name":"x","input":{"a":2}}}`), false},
		{"a tool's id", message("user", `{"toolUse":{"toolUseId":"1","name":"x","input":{}}}`), message("user", `{"toolUse":{"toolUseId":"2","name":"x","input":{}}}`), true},
		{"found text", message("user", `{"searchResult":{"content":[{"text":"a"}]}}`), message("user", `{"searchResult":{"content":[{"text":"b"}]}}`), false},
		{"quoted text", message("user", `{"citationsContent":{"content":[{"text":"a"}]}}`), message("user", `{"citationsContent":{"content":[{"text":"b"}]}}`), false},
		{"guarded text", message("user", `{"guardContent":{"text":{"text":"a"}}}`), message("user", `{"guardContent":{"text":{"text":"b"}}}`), false},
		{"a document's text", message("user", `{"document":{"source":{"text":"a"}}}`), message("user", `{"document":{"source":{"text":"b"}}}`), false},
		{"image", message("user", `{"image":{"source":{"bytes":"AAAA"}}}`), message("user", `{"image":{"source":{"bytes":"AAAB"}}}`), false},
	} {
		one, other := converseOf(t, c.one), converseOf(t, c.other)
		if got := one.Conversation() == other.Conversation(); got != c.same {
			t.Errorf("%s: the same %v", c.name, got)
		}
	}
}

func converseOf(t *testing.T, messages string) *Request {
	t.Helper()
	r, err := Scan(bedrockConverse{}, Call{}, nil, []byte(`{"messages":[`+messages+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestConverseDepth(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string {
		return `{"content":[` + strings.Repeat(`{"toolResult":{"content":[`, depth) + `{"image":{"source":{"bytes":""}}}` + strings.Repeat(`]}}`, depth) + `]}`
	}
	for depth, want := range map[int]int{0: 1, 1: 1, maxDepth - 1: 1, maxDepth: 0, 1000: 0} {
		if got := len(converseOf(t, nested(depth)).Images); got != want {
			t.Errorf("%d images in results %d deep, want %d", got, depth, want)
		}
	}
}

func TestInvokeEnds(t *testing.T) {
	t.Parallel()
	chunk := func(event string) string {
		return `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(event)) + `","p":"abc"}`
	}
	for _, c := range []struct {
		name, data string
		ends       bool
	}{
		{"chunk", chunk(`{"type":"message_stop","amazon-bedrock-invocationMetrics":{}}`), true},
		{"chunk", chunk(`{"amazon-bedrock-invocationMetrics":{},"type":"message_stop"}`), true},
		{"chunk", chunk(`{"type":"content_block_delta","delta":{"text":"message_stop"}}`), false},
		{"chunk", chunk(`message_stop`), false},
		{"chunk", `{"bytes":"%%%"}`, false},
		{"chunk", `{"bytes":7}`, false},
		{"chunk", `message_stop`, false},
		{"other", chunk(`{"type":"message_stop"}`), false},
	} {
		if got := (bedrockInvoke{}).Ends(sse.Event{Name: c.name, Data: []byte(c.data)}); got != c.ends {
			t.Errorf("%s %s: %v", c.name, c.data, got)
		}
	}
}

func TestErrorHeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api    API
		status int
		want   string
	}{
		{bedrockConverse{}, 400, "ValidationException"},
		{bedrockInvoke{}, 422, "ValidationException"},
		{bedrockInvoke{}, 502, "ServiceUnavailableException"},
		{bedrockConverse{}, 504, "ServiceUnavailableException"},
		{bedrockConverse{}, 200, ""},
		{anthropic{}, 400, ""},
	} {
		h := http.Header{}
		if SetErrorHeader(h, c.api, c.status); ErrorType(h) != c.want {
			t.Errorf("%s %d: %v", c.api.Name(), c.status, h)
		}
	}
}
