package failure

import (
	"strings"
	"testing"
)

func BenchmarkJudgeEventDelta(b *testing.B) {
	delta := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"the next few words of the answer"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := JudgeEvent("content_block_delta", delta); ok {
			b.Fatal("a delta was taken for an error")
		}
	}
}

// A delta that holds the word costs a parse of the event, and no more.
func BenchmarkJudgeEventDeltaWithWord(b *testing.B) {
	delta := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"the error says Could not process image"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := JudgeEvent("content_block_delta", delta); ok {
			b.Fatal("a delta was taken for an error")
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	for name, body := range map[string]string{
		"image":  `{"type":"error","error":{"type":"invalid_request_error","message":"messages.3.content.1.image.source.base64: Could not process image"}}`,
		"schema": `{"type":"error","error":{"type":"invalid_request_error","message":"metadata.user: Extra inputs are not permitted"}}`,
		"30MB":   `{"error":{"message":"Failed to decode image 'data:image/png;base64,` + strings.Repeat("iVBORw0KGgo", 30<<20/11) + `': cannot identify image file"}}`,
		"prose":  `{"error":{"message":"` + strings.Repeat("the image error cannot fail to be ", 1000) + `"}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Judge(Answer{Status: 400, Body: []byte(body)})
			}
		})
	}
}
