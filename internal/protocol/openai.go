package protocol

import (
	"fmt"
	"net/http"
	"strings"

	"imagebreaker/internal/jsontree"
)

// deployment returns the model of an Azure path, …/deployments/NAME/….
func deployment(path string) string {
	_, rest, _ := cutLast(path, "/deployments/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// openaiError returns an error in the envelope of Chat Completions and Responses,
// https://platform.openai.com/docs/guides/error-codes.
func openaiError(e Error) []byte {
	kind := "invalid_request_error"
	if e.Status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	code := "null"
	if e.Code != "" {
		code = jsontree.Quote(e.Code)
	}
	return fmt.Appendf(nil, `{"error":{"message":%s,"type":%q,"param":null,"code":%s}}`, jsontree.Quote(e.Message), kind, code)
}

// openaiPart reads a part of Chat Completions or Responses, which differ in its names.
func openaiPart(w *walk, p jsontree.Node, at position) {
	im := Image{part: p}
	var content jsontree.Node
	carrier := URL
	switch string(p.Get("type").Text()) {
	case "text", "input_text", "output_text":
		w.text(p.Get("text"))
	case "image_url", "input_image", "computer_screenshot":
		im.Media, content = Picture, p.Get("image_url")
	case "video_url", "input_video":
		im.Media, content = Video, p.Get("video_url")
	case "audio_url":
		im.Media, content = Audio, p.Get("audio_url")
	case "input_audio":
		im.Media, content, carrier = Audio, p.Get("input_audio", "data"), Bytes
		im.Label = mediaLabel("audio", p.Get("input_audio", "format").String())
	case "file", "input_file":
		if f := p.Get("file"); f.Kind() == '{' { // Chat's; Responses' is flat
			p = f
		}
		im.Media, im.name = Document, p.Get("filename").String()
		if content = p.Get("file_url"); p.Get("file_data").Exists() {
			content, carrier = p.Get("file_data"), Bytes
		}
	}
	if content.Kind() == '{' {
		content = content.Get("url")
	}
	if im.Media != "" && (im.fill(content, carrier) || im.fill(p.Get("file_id"), FileID)) {
		im.Media = mediaOf(im.Label, im.Media)
		w.image(im, at)
	}
}

func mediaLabel(kind, format string) string {
	if format == "" {
		return ""
	}
	return kind + "/" + strings.ToLower(format)
}
