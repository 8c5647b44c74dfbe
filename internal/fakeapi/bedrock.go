package fakeapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// The two forms of Bedrock's runtime API: its own, and Anthropic's body in
// InvokeModel.
const (
	Converse API = "bedrock_converse"
	Invoke   API = "bedrock_invoke"
)

// Frame is a message in Amazon's binary framing; kind is event or exception.
func Frame(kind, name, payload string) string {
	var b bytes.Buffer
	text := func(name, value string) eventstream.Header {
		return eventstream.Header{Name: name, Value: eventstream.StringValue(value)}
	}
	_ = eventstream.NewEncoder().Encode(&b, eventstream.Message{ // fails only for names of more than 32 KiB
		Headers: eventstream.Headers{text(":"+kind+"-type", name), text(":content-type", "application/json"), text(":message-type", kind)},
		Payload: []byte(payload),
	})
	return b.String()
}

// Exception is an error of Bedrock's that has a class. A stream has it as Frame.
func Exception(status int, class, message string) Answer {
	a := JSON(status, `{"message":`+quoted(message)+`}`)
	a.Header = http.Header{"Content-Type": {"application/json"}, "X-Amzn-Requestid": {"req_fake"}, "X-Amzn-Errortype": {class}}
	return a
}

func bedrockSuccess(a API, stream bool, text string) Answer {
	t := quoted(text)
	header := http.Header{"Content-Type": {"application/vnd.amazon.eventstream"}, "X-Amzn-Requestid": {"req_fake"}}
	switch {
	case stream && a == Converse:
		return Answer{Header: header, Pieces: []string{
			Frame("event", "messageStart", `{"role":"assistant","p":"abc"}`),
			Frame("event", "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":`+t+`},"p":"abcdef"}`),
			Frame("event", "contentBlockStop", `{"contentBlockIndex":0,"p":"a"}`),
			Frame("event", "messageStop", `{"stopReason":"end_turn","p":"abcd"}`),
			Frame("event", "metadata", `{"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2},"metrics":{"latencyMs":3},"p":"ab"}`),
		}}
	case stream:
		return Answer{Header: header, Pieces: invokeStream(t)}
	case a == Converse:
		return JSON(200, `{"output":{"message":{"role":"assistant","content":[{"text":`+t+`}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2},"metrics":{"latencyMs":3}}`)
	}
	return Success(Anthropic, false, text)
}

// invokeStream has each event of Anthropic's in a chunk.
func invokeStream(t string) []string {
	var out []string
	for _, e := range successStream(Anthropic, t) {
		_, data, _ := strings.Cut(strings.TrimSpace(e), "data: ")
		chunk, _ := json.Marshal(map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(data)), "p": "abcde"})
		out = append(out, Frame("event", "chunk", string(chunk)))
	}
	return out
}
