package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"google.golang.org/genai"

	"imagebreaker/internal/fakeapi"
)

// geminiSDK is generateContent in google.golang.org/genai.
type geminiSDK struct{}

func (geminiSDK) name() string     { return "go" }
func (geminiSDK) api() fakeapi.API { return fakeapi.Gemini }

func (s geminiSDK) ask(r *rig, q question) (reply, error) {
	c, err := s.client(r, q)
	if err != nil {
		return reply{}, err
	}
	if r.stream {
		return s.stream(r.Context(), c, q)
	}
	m, err := c.Models.GenerateContent(r.Context(), model, s.contents(q), s.config(q))
	if err != nil {
		return reply{}, err
	}
	return s.add(reply{}, m)
}

// client retries like the others' clients, without their waits: left alone, this
// SDK retries nothing, and would not show what a client does that does.
func (geminiSDK) client(r *rig, q question) (*genai.Client, error) {
	header := http.Header{}
	if q.session != "" {
		header.Set("X-Session-Id", q.session)
	}
	return genai.NewClient(r.Context(), &genai.ClientConfig{
		APIKey: "dummy", Backend: genai.BackendGeminiAPI, HTTPClient: r.http,
		HTTPOptions: genai.HTTPOptions{BaseURL: r.url, Headers: header, RetryOptions: &genai.HTTPRetryOptions{
			Attempts: genai.Ptr[int32](3), InitialDelay: genai.Ptr(0.0), Jitter: genai.Ptr(0.0),
		}},
	})
}

func (geminiSDK) contents(q question) []*genai.Content {
	list := []*genai.Content{genai.NewContentFromParts([]*genai.Part{
		genai.NewPartFromText(lookAt), genai.NewPartFromBytes(q.picture, "image/png"),
	}, genai.RoleUser)}
	if q.answer != "" {
		list = append(list, genai.NewContentFromText(q.answer, genai.RoleModel), genai.NewContentFromText(goOn, genai.RoleUser))
	}
	return list
}

func (geminiSDK) config(q question) *genai.GenerateContentConfig {
	c := &genai.GenerateContentConfig{}
	if q.tool {
		c.Tools = []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "read"}}}}
	}
	if q.json {
		c.ResponseMIMEType = "application/json"
	}
	return c
}

func (s geminiSDK) stream(ctx context.Context, c *genai.Client, q question) (reply, error) {
	var out reply
	for m, err := range c.Models.GenerateContentStream(ctx, model, s.contents(q), s.config(q)) {
		if err != nil {
			return out, err
		}
		if out, err = s.add(out, m); err != nil {
			return out, err
		}
	}
	return out, nil
}

// add puts an answer, or the next chunk of one, to what was read before: the SDK
// leaves that to the program.
func (geminiSDK) add(out reply, m *genai.GenerateContentResponse) (reply, error) {
	if len(m.Candidates) != 1 || m.Candidates[0].Content == nil {
		b, _ := json.Marshal(m)
		return out, errors.New("not one candidate with a content: " + string(b))
	}
	c := m.Candidates[0]
	out.text += m.Text()
	out.streamed = out.text
	out.role, out.model, out.finish = c.Content.Role, m.ModelVersion, string(c.FinishReason)
	if u := m.UsageMetadata; u != nil {
		out.usage = true
		out.tokens += int64(u.PromptTokenCount + u.CandidatesTokenCount + u.TotalTokenCount)
	}
	return out, nil
}

func (geminiSDK) refusal(err error) (refusal, bool) {
	var e genai.APIError
	if !errors.As(err, &e) {
		return refusal{}, false
	}
	return refusal{status: e.Code, kind: e.Status, message: e.Message}, true
}
