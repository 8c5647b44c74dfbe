package proxy_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
)

// ollamaBody is a chat whose first message carries pictures.
func ollamaBody(stream bool, later string, ps ...picture) string {
	var images []string
	for _, p := range ps {
		images = append(images, p.b64())
	}
	messages := []any{map[string]any{"role": "user", "content": "what is this?", "images": images}}
	if later != "" {
		messages = append(messages, map[string]any{"role": "assistant", "content": "noted"}, map[string]any{"role": "user", "content": later})
	}
	b, _ := json.Marshal(map[string]any{"model": "llava", "stream": stream, "messages": messages})
	return string(b)
}

const ollamaLine = `{"model":"llava","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":"a cat"},"done":true}` + "\n"

// ollamaRefusing answers as Ollama does while a body has the needle.
func ollamaRefusing(needle string) fakeapi.Script {
	return func(q fakeapi.Request) fakeapi.Answer {
		if strings.Contains(string(q.Body), needle) {
			return fakeapi.JSON(500, `{"error":"Failed to create new sequence: failed to process inputs: image: unknown format"}`)
		}
		return fakeapi.Answer{Header: map[string][]string{"Content-Type": {"application/x-ndjson"}}, Pieces: []string{ollamaLine}}
	}
}

func TestOllamaSessionGoesOn(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprint(stream), func(t *testing.T) {
			t.Parallel()
			bad, fine := page("image/png"), good()
			r := start(t, ollamaRefusing(bad.needle()), nil)
			body := ollamaBody(stream, "", fine, bad)
			first := r.send("/api/chat", body, session(1)...)
			if first.status != 400 || !strings.Contains(first.body, `{"error":"`) || !strings.Contains(first.body, "unknown format") {
				t.Errorf("first: %d %s", first.status, first.body)
			}
			second := r.send("/api/chat", body, session(1)...)
			wantOllamaTurn(t, second, stream, bad)
			later := r.send("/api/chat", ollamaBody(stream, "go on", fine, bad), session(1)...)
			if later.body != ollamaLine {
				t.Errorf("later: %d %s", later.status, later.body)
			}
			seen := r.api.Requests()
			if len(seen) != 2 {
				t.Fatalf("%d uploads", len(seen))
			}
			wantOllamaNote(t, seen[1].Body, fine, bad)
			r.wantEvents("failure_recorded", "short_circuited", "repaired")
		})
	}
}

// wantOllamaTurn wants a finished answer that speaks of the picture: lines for a
// stream, else one object.
func wantOllamaTurn(t *testing.T, a answer, stream bool, p picture) {
	t.Helper()
	kind, lines := "application/json", 1
	if stream {
		kind, lines = "application/x-ndjson", 2
	}
	if a.status != 200 || a.header.Get("Content-Type") != kind {
		t.Errorf("%d %s", a.status, a.header.Get("Content-Type"))
	}
	all := slices.Collect(strings.Lines(strings.TrimSpace(a.body)))
	if len(all) != lines {
		t.Fatalf("%d lines: %s", len(all), a.body)
	}
	var said string
	for i, l := range all {
		var v struct {
			Done    bool
			Message struct{ Role, Content string }
		}
		must(t, json.Unmarshal([]byte(l), &v))
		said += v.Message.Content
		if v.Done != (i == lines-1) || v.Message.Role != "assistant" {
			t.Errorf("line %d: %s", i, l)
		}
	}
	if !strings.Contains(said, p.sum().Short()) {
		t.Errorf("said %q", said)
	}
}

func wantOllamaNote(t *testing.T, body []byte, kept, gone picture) {
	t.Helper()
	var v struct {
		Messages []struct {
			Content string
			Images  []string
		}
	}
	must(t, json.Unmarshal(body, &v))
	m := v.Messages[0]
	if !slices.Equal(m.Images, []string{kept.b64()}) || !strings.HasPrefix(m.Content, "what is this?\n[imagebreaker") || !strings.Contains(m.Content, gone.sum().Short()) {
		t.Errorf("went up as %.500s", body)
	}
}

// An error in a line of the stream, after others went well.
func TestOllamaErrorInsideTheStream(t *testing.T) {
	t.Parallel()
	bad := cut()
	half := strings.Replace(ollamaLine, `"done":true`, `"done":false`, 1)
	r := start(t, fakeapi.Always(fakeapi.Answer{
		Header: map[string][]string{"Content-Type": {"application/x-ndjson"}},
		Pieces: []string{half, `{"error":"failed to process inputs: image: unknown format"}` + "\n"},
	}), style(policy.Message))
	body := ollamaBody(true, "", bad)
	r.send("/api/chat", body)
	wantOllamaTurn(t, r.send("/api/chat", body), true, bad)
	if es := r.wantEvents("failure_recorded", "short_circuited"); es[0].ErrorKind != "stream_error" || es[0].Protocol != "ollama_chat" || es[0].Path != "/api/chat" {
		t.Errorf("%+v", es[0])
	}
}

// What a model says of errors is no error.
func TestOllamaModelText(t *testing.T) {
	t.Parallel()
	p := good()
	line := strings.Replace(ollamaLine, "a cat", `{\"error\":\"image: unknown format\"}`, 1)
	r := start(t, fakeapi.Always(fakeapi.Answer{Header: map[string][]string{"Content-Type": {"application/x-ndjson"}}, Pieces: []string{line}}), nil)
	for range 3 {
		if a := r.send("/api/chat", ollamaBody(true, "", p)); a.body != line {
			t.Errorf("%s", a.body)
		}
	}
	r.wantEvents()
}

// The prompt of SGLang has a mark for each of its media: none can be taken out.
func TestSGLangIsAnswered(t *testing.T) {
	t.Parallel()
	bad := page("image/png")
	failed := fakeapi.JSON(400, `{"error":{"message":"An exception occurred while loading IMAGE data at index 0: Error while loading data: cannot identify image file"}}`)
	r := start(t, fakeapi.Always(failed), style(policy.Repair))
	body := `{"text":"<image> what?","image_data":"` + bad.b64() + `","stream":true}`
	r.send("/generate", body).untouched(t, failed)
	second := r.send("/generate", body)
	if second.status != 400 || !strings.Contains(second.body, bad.sum().Short()) || len(r.api.Requests()) != 1 {
		t.Errorf("%d %s", second.status, second.body)
	}
}
