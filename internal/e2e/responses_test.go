package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"imagebreaker/internal/fakeapi"
)

// responsesSDK is the Responses API in openai-go.
type responsesSDK struct{}

func (responsesSDK) name() string     { return "go" }
func (responsesSDK) api() fakeapi.API { return fakeapi.Responses }

func (s responsesSDK) ask(r *rig, q question) (reply, error) {
	c := newOpenAI(r, q)
	if r.stream {
		return s.stream(r.Context(), c, s.params(q))
	}
	m, err := c.Responses.New(r.Context(), s.params(q))
	if err != nil {
		return reply{}, err
	}
	out := s.reply(*m)
	out.streamed = out.text
	return out, nil
}

func (responsesSDK) params(q question) responses.ResponseNewParams {
	text := responses.ResponseInputItemParamOfMessage[string]
	image := responses.ResponseInputContentParamOfInputImage(responses.ResponseInputImageDetailAuto)
	image.OfInputImage.ImageURL = openai.String(q.picture.dataURL())
	list := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(
		responses.ResponseInputMessageContentListParam{responses.ResponseInputContentParamOfInputText(lookAt), image},
		responses.EasyInputMessageRoleUser)}
	if q.answer != "" {
		list = append(list, text(q.answer, responses.EasyInputMessageRoleAssistant), text(goOn, responses.EasyInputMessageRoleUser))
	}
	p := responses.ResponseNewParams{Model: model, Input: responses.ResponseNewParamsInputUnion{OfInputItemList: list}}
	if q.tool {
		p.Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction("read", anObject, false)}
	}
	if q.json {
		p.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("object", anObject)
	}
	return p
}

// stream reads the text in three ways: from the deltas, from what the SDK's
// accumulator makes of the events, and from the last event alone.
func (s responsesSDK) stream(ctx context.Context, c openai.Client, p responses.ResponseNewParams) (reply, error) {
	stream := c.Responses.NewStreaming(ctx, p)
	defer stream.Close()
	var acc responses.ResponseAccumulator
	var pieces string
	var last responses.ResponseStreamEventUnion
	for stream.Next() {
		if last = stream.Current(); last.Type == "response.output_text.delta" {
			pieces += last.Delta
		}
		if err := accumulate(&acc, last); err != nil {
			return reply{}, err
		}
		if text := acc.Snapshot().OutputText(); text != pieces && last.Type != "response.completed" {
			return reply{}, fmt.Errorf("after %s the accumulator has %q, the deltas %q", last.Type, text, pieces)
		}
	}
	if last.Type != "response.completed" && stream.Err() == nil {
		return reply{}, errors.New("the stream ended without its response.completed")
	}
	out := s.reply(last.Response)
	out.streamed = pieces
	return out, stream.Err()
}

// accumulate feeds the accumulator, which was made for the events of a
// WebSocket: they have types of their own and the same JSON.
func accumulate(acc *responses.ResponseAccumulator, e responses.ResponseStreamEventUnion) error {
	var same responses.ResponsesServerEventUnion
	if err := json.Unmarshal([]byte(e.RawJSON()), &same); err != nil {
		return err
	}
	return acc.AddEvent(same)
}

func (responsesSDK) reply(m responses.Response) reply {
	u := m.Usage
	out := reply{
		text: m.OutputText(), model: m.Model, finish: string(m.Status), usage: m.JSON.Usage.Valid(),
		tokens: u.InputTokens + u.OutputTokens + u.TotalTokens,
	}
	for _, item := range m.Output {
		out.role = string(item.Role)
	}
	return out
}

func (responsesSDK) refusal(err error) (refusal, bool) { return openAIRefusal(err) }
