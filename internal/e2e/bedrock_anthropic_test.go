package e2e_test

import (
	"encoding/json"
	"errors"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/aws"

	"imagebreaker/internal/fakeapi"
)

// anthropicOnBedrock is Anthropic's SDK with its way to Bedrock.
type anthropicOnBedrock struct{}

func (anthropicOnBedrock) name() string     { return "go" }
func (anthropicOnBedrock) api() fakeapi.API { return fakeapi.Invoke }

func (anthropicOnBedrock) ask(r *rig, q question) (reply, error) {
	key := aws.Config{Region: "us-east-1", BearerAuthTokenProvider: bedrock.NewStaticBearerTokenProvider("key")}
	opts := []option.RequestOption{bedrock.WithConfig(key), option.WithBaseURL(r.url), option.WithHTTPClient(r.http)}
	if q.session != "" {
		opts = append(opts, option.WithHeader("X-Session-Id", q.session))
	}
	c, p := anthropic.NewClient(opts...), anthropicSDK{}.params(q)
	p.Model = bedrockModel
	if r.stream {
		return anthropicSDK{}.stream(r.Context(), c, p)
	}
	m, err := c.Messages.New(r.Context(), p)
	if err != nil {
		return reply{}, err
	}
	a := anthropicSDK{}.reply(*m)
	a.streamed = a.text
	return a, nil
}

// refusal has no class: the SDK knows Anthropic's envelope and shows this one
// as it is.
func (anthropicOnBedrock) refusal(err error) (refusal, bool) {
	var e *anthropic.Error
	if !errors.As(err, &e) {
		return refusal{}, false
	}
	var body struct{ Message string }
	if json.Unmarshal([]byte(e.RawJSON()), &body) != nil {
		return refusal{}, false
	}
	return refusal{status: e.StatusCode, message: body.Message}, true
}
