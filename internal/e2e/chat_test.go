package e2e_test

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"imagebreaker/internal/fakeapi"
)

// chatSDK is Chat Completions in openai-go.
type chatSDK struct{}

func (chatSDK) name() string     { return "go" }
func (chatSDK) api() fakeapi.API { return fakeapi.Chat }

func (s chatSDK) ask(r *rig, q question) (reply, error) {
	c := newOpenAI(r, q)
	if r.stream {
		return s.stream(r.Context(), c, s.params(q, r.usage))
	}
	m, err := c.Chat.Completions.New(r.Context(), s.params(q, false))
	if err != nil {
		return reply{}, err
	}
	out, err := s.reply(*m)
	out.streamed, out.usage = out.text, m.JSON.Usage.Valid()
	return out, err
}

// newOpenAI is the client for both of OpenAI's APIs.
func newOpenAI(r *rig, q question) openai.Client {
	opts := []option.RequestOption{option.WithBaseURL(r.url + "/v1"), option.WithAPIKey("dummy"), option.WithHTTPClient(r.http)}
	if q.session != "" {
		opts = append(opts, option.WithHeader("X-Session-Id", q.session))
	}
	return openai.NewClient(opts...)
}

func (chatSDK) params(q question, usage bool) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{
		openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart(lookAt),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: q.picture.dataURL()}),
		}),
	}}
	if q.answer != "" {
		p.Messages = append(p.Messages, openai.AssistantMessage(q.answer), openai.UserMessage(goOn))
	}
	if q.tool {
		p.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "read"})}
	}
	if q.json {
		object := shared.NewResponseFormatJSONObjectParam()
		p.ResponseFormat.OfJSONObject = &object
	}
	if usage {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	return p
}

func (s chatSDK) stream(ctx context.Context, c openai.Client, p openai.ChatCompletionNewParams) (reply, error) {
	stream := c.Chat.Completions.NewStreaming(ctx, p)
	defer stream.Close()
	var acc openai.ChatCompletionAccumulator
	var pieces string
	usage := false
	for stream.Next() {
		chunk := stream.Current()
		if !acc.AddChunk(chunk) {
			return reply{}, errors.New("the accumulator does not take " + chunk.RawJSON())
		}
		for _, choice := range chunk.Choices {
			pieces += choice.Delta.Content
		}
		usage = usage || chunk.JSON.Usage.Valid()
	}
	if err := stream.Err(); err != nil {
		return reply{}, err
	}
	out, err := s.reply(acc.ChatCompletion)
	out.streamed, out.usage = pieces, usage
	return out, err
}

func (chatSDK) reply(m openai.ChatCompletion) (reply, error) {
	if len(m.Choices) != 1 {
		return reply{}, errors.New("not one choice: " + m.RawJSON())
	}
	c, u := m.Choices[0], m.Usage
	return reply{
		text: c.Message.Content, role: string(c.Message.Role), model: m.Model, finish: c.FinishReason,
		tokens: u.PromptTokens + u.CompletionTokens + u.TotalTokens,
	}, nil
}

func (chatSDK) refusal(err error) (refusal, bool) { return openAIRefusal(err) }

func openAIRefusal(err error) (refusal, bool) {
	var e *openai.Error
	if !errors.As(err, &e) {
		return refusal{}, false
	}
	return refusal{status: e.StatusCode, kind: e.Type, code: e.Code, message: e.Message}, true
}
