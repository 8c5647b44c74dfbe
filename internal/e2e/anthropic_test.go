package e2e_test

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"imagebreaker/internal/fakeapi"
)

// anthropicSDK is the Messages API in anthropic-sdk-go.
type anthropicSDK struct{}

func (anthropicSDK) name() string     { return "go" }
func (anthropicSDK) api() fakeapi.API { return fakeapi.Anthropic }

func (s anthropicSDK) ask(r *rig, q question) (reply, error) {
	opts := []option.RequestOption{option.WithBaseURL(r.url), option.WithAPIKey("dummy"), option.WithHTTPClient(r.http)}
	if q.session != "" {
		opts = append(opts, option.WithHeader("X-Session-Id", q.session))
	}
	c := anthropic.NewClient(opts...)
	if r.stream {
		return s.stream(r.Context(), c, s.params(q))
	}
	m, err := c.Messages.New(r.Context(), s.params(q))
	if err != nil {
		return reply{}, err
	}
	out := s.reply(*m)
	out.streamed = out.text
	return out, nil
}

func (anthropicSDK) params(q question) anthropic.MessageNewParams {
	text := anthropic.NewTextBlock
	p := anthropic.MessageNewParams{Model: model, MaxTokens: 64, Messages: []anthropic.MessageParam{
		anthropic.NewUserMessage(text(lookAt), anthropic.NewImageBlockBase64("image/png", q.picture.base64())),
	}}
	if q.answer != "" {
		p.Messages = append(p.Messages, anthropic.NewAssistantMessage(text(q.answer)), anthropic.NewUserMessage(text(goOn)))
	}
	if q.tool {
		p.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "read"}}}
	}
	if q.json {
		p.OutputConfig.Format.Schema = anObject
	}
	return p
}

func (s anthropicSDK) stream(ctx context.Context, c anthropic.Client, p anthropic.MessageNewParams) (reply, error) {
	stream := c.Messages.NewStreaming(ctx, p)
	defer stream.Close()
	var m anthropic.Message
	var pieces, last string
	for stream.Next() {
		e := stream.Current()
		if err := m.Accumulate(e); err != nil {
			return reply{}, err
		}
		if last = e.Type; last == "content_block_delta" {
			pieces += e.Delta.Text
		}
	}
	if last != "message_stop" && stream.Err() == nil {
		return reply{}, errors.New("the stream ended without its message_stop")
	}
	out := s.reply(m)
	out.streamed = pieces
	return out, stream.Err()
}

func (anthropicSDK) reply(m anthropic.Message) reply {
	u := m.Usage
	out := reply{
		role: string(m.Role), model: string(m.Model), finish: string(m.StopReason), usage: m.JSON.Usage.Valid(),
		tokens: u.InputTokens + u.OutputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens,
	}
	for _, b := range m.Content {
		if t, ok := b.AsAny().(anthropic.TextBlock); ok {
			out.text += t.Text
		}
	}
	return out
}

func (anthropicSDK) refusal(err error) (refusal, bool) {
	var e *anthropic.Error
	if !errors.As(err, &e) {
		return refusal{}, false
	}
	var body struct{ Error struct{ Message string } }
	if json.Unmarshal([]byte(e.RawJSON()), &body) != nil {
		return refusal{}, false
	}
	return refusal{status: e.StatusCode, kind: string(e.Type()), message: body.Error.Message}, true
}
