package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/auth/bearer"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"imagebreaker/internal/fakeapi"
)

// newBedrock is the client of the AWS SDK. The SDK sends a bearer key over
// HTTPS alone, unless it is told how to send it.
func newBedrock(r *rig, q question) *bedrockruntime.Client {
	return bedrockruntime.New(bedrockruntime.Options{
		Region: "us-east-1", BaseEndpoint: &r.url, HTTPClient: r.http,
		AuthSchemePreference:    []string{"httpBearerAuth"},
		BearerAuthTokenProvider: bearer.StaticTokenProvider{Token: bearer.Token{Value: "key"}},
		BearerAuthSigner:        plainSigner{},
		Retryer:                 retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond }),
	}, func(o *bedrockruntime.Options) {
		if q.session != "" {
			o.APIOptions = append(o.APIOptions, smithyhttp.AddHeaderValue("X-Session-Id", q.session))
		}
	})
}

type plainSigner struct{}

func (plainSigner) SignWithBearerToken(_ context.Context, t bearer.Token, m bearer.Message) (bearer.Message, error) {
	q, ok := m.(*smithyhttp.Request)
	if !ok {
		return nil, fmt.Errorf("a request of type %T", m)
	}
	q = q.Clone()
	q.Header.Set("Authorization", "Bearer "+t.Value)
	return q, nil
}

// awsRefusal reads the AWS SDK's error.
func awsRefusal(err error) (refusal, bool) {
	var of smithy.APIError
	var at *smithyhttp.ResponseError
	if !errors.As(err, &of) || !errors.As(err, &at) {
		return refusal{}, false
	}
	var invalid *types.ValidationException
	if (of.ErrorCode() == "ValidationException") != errors.As(err, &invalid) {
		return refusal{}, false // the code without the type
	}
	return refusal{status: at.HTTPStatusCode(), kind: of.ErrorCode(), message: of.ErrorMessage()}, true
}

// converseSDK is Converse in the AWS SDK.
type converseSDK struct{}

func (converseSDK) name() string                      { return "go" }
func (converseSDK) api() fakeapi.API                  { return fakeapi.Converse }
func (converseSDK) refusal(err error) (refusal, bool) { return awsRefusal(err) }

func (s converseSDK) ask(r *rig, q question) (reply, error) {
	c := newBedrock(r, q)
	messages, tools := s.params(q)
	if r.stream {
		out, err := c.ConverseStream(r.Context(), &bedrockruntime.ConverseStreamInput{ModelId: aws.String(bedrockModel), Messages: messages, ToolConfig: tools})
		if err != nil {
			return reply{}, err
		}
		return s.stream(out.GetStream())
	}
	out, err := c.Converse(r.Context(), &bedrockruntime.ConverseInput{ModelId: aws.String(bedrockModel), Messages: messages, ToolConfig: tools})
	if err != nil {
		return reply{}, err
	}
	m, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok || len(m.Value.Content) != 1 {
		return reply{}, fmt.Errorf("output %#v", out.Output)
	}
	text, ok := m.Value.Content[0].(*types.ContentBlockMemberText)
	if !ok || out.Usage == nil || out.Metrics == nil {
		return reply{}, fmt.Errorf("block %#v, usage %v, metrics %v", m.Value.Content[0], out.Usage, out.Metrics)
	}
	return reply{
		text: text.Value, streamed: text.Value, role: string(m.Value.Role), finish: string(out.StopReason),
		usage: true, tokens: int64(aws.ToInt32(out.Usage.TotalTokens)),
	}, nil
}

func (converseSDK) params(q question) ([]types.Message, *types.ToolConfiguration) {
	text := func(s string) types.ContentBlock { return &types.ContentBlockMemberText{Value: s} }
	message := func(role types.ConversationRole, blocks ...types.ContentBlock) types.Message {
		return types.Message{Role: role, Content: blocks}
	}
	image := &types.ContentBlockMemberImage{Value: types.ImageBlock{Format: types.ImageFormatPng, Source: &types.ImageSourceMemberBytes{Value: q.picture}}}
	messages := []types.Message{message(types.ConversationRoleUser, text(lookAt), image)}
	if q.answer != "" {
		messages = append(messages, message(types.ConversationRoleAssistant, text(q.answer)), message(types.ConversationRoleUser, text(goOn)))
	}
	if !q.tool {
		return messages, nil
	}
	return messages, &types.ToolConfiguration{Tools: []types.Tool{&types.ToolMemberSystemTool{Value: types.SystemTool{Name: aws.String("read")}}}}
}

func (converseSDK) stream(s *bedrockruntime.ConverseStreamEventStream) (reply, error) {
	defer s.Close()
	var out reply
	var order []string
	for e := range s.Events() {
		switch v := e.(type) {
		case *types.ConverseStreamOutputMemberMessageStart:
			out.role = string(v.Value.Role)
		case *types.ConverseStreamOutputMemberContentBlockDelta:
			if d, ok := v.Value.Delta.(*types.ContentBlockDeltaMemberText); ok {
				out.streamed += d.Value
			}
		case *types.ConverseStreamOutputMemberContentBlockStop:
			out.text = out.streamed // the block is whole
		case *types.ConverseStreamOutputMemberMessageStop:
			out.finish = string(v.Value.StopReason)
		case *types.ConverseStreamOutputMemberMetadata:
			out.usage, out.tokens = v.Value.Usage != nil && v.Value.Metrics != nil, int64(aws.ToInt32(v.Value.Usage.TotalTokens))
		default:
			return reply{}, fmt.Errorf("event %T", e)
		}
		order = append(order, fmt.Sprintf("%T", e))
	}
	if err := s.Err(); err != nil {
		return reply{}, err
	}
	if len(order) != 5 {
		return reply{}, fmt.Errorf("events %v", order)
	}
	return out, nil
}

// invokeSDK is InvokeModel in the AWS SDK, with Anthropic's body.
type invokeSDK struct{}

func (invokeSDK) name() string                      { return "go" }
func (invokeSDK) api() fakeapi.API                  { return fakeapi.Invoke }
func (invokeSDK) refusal(err error) (refusal, bool) { return awsRefusal(err) }

func (s invokeSDK) ask(r *rig, q question) (reply, error) {
	p, err := json.Marshal(anthropicSDK{}.params(q))
	if err != nil {
		return reply{}, err
	}
	var body map[string]any
	if err := json.Unmarshal(p, &body); err != nil {
		return reply{}, err
	}
	delete(body, "model")
	body["anthropic_version"] = "bedrock-2023-05-31"
	if p, err = json.Marshal(body); err != nil {
		return reply{}, err
	}
	c, kind := newBedrock(r, q), aws.String("application/json")
	if r.stream {
		out, err := c.InvokeModelWithResponseStream(r.Context(), &bedrockruntime.InvokeModelWithResponseStreamInput{ModelId: aws.String(bedrockModel), ContentType: kind, Body: p})
		if err != nil {
			return reply{}, err
		}
		return s.stream(out.GetStream())
	}
	out, err := c.InvokeModel(r.Context(), &bedrockruntime.InvokeModelInput{ModelId: aws.String(bedrockModel), ContentType: kind, Body: p})
	if err != nil {
		return reply{}, err
	}
	var m anthropic.Message
	if err := json.Unmarshal(out.Body, &m); err != nil {
		return reply{}, err
	}
	a := anthropicSDK{}.reply(m)
	a.streamed = a.text
	return a, nil
}

func (invokeSDK) stream(s *bedrockruntime.InvokeModelWithResponseStreamEventStream) (reply, error) {
	defer s.Close()
	var m anthropic.Message
	var pieces, last string
	for e := range s.Events() {
		chunk, ok := e.(*types.ResponseStreamMemberChunk)
		if !ok {
			return reply{}, fmt.Errorf("event %T", e)
		}
		var event anthropic.MessageStreamEventUnion
		if err := json.Unmarshal(chunk.Value.Bytes, &event); err != nil {
			return reply{}, err
		}
		if err := m.Accumulate(event); err != nil {
			return reply{}, err
		}
		if last = event.Type; last == "content_block_delta" {
			pieces += event.Delta.Text
		}
	}
	if err := s.Err(); err != nil {
		return reply{}, err
	}
	if last != "message_stop" {
		return reply{}, errors.New("the stream ended without its message_stop")
	}
	a := anthropicSDK{}.reply(m)
	a.streamed = pieces
	return a, nil
}
