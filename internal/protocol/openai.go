package protocol

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"imagebreaker/internal/jsontree"
)

// deployment is the model that an Azure path names,
// …/deployments/NAME/….
func deployment(path string) string {
	_, rest, _ := cutLast(path, "/deployments/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// modelOr is the body's model, or the path's where the body names none.
func modelOr(body jsontree.Node, c Call) string {
	if m := body.Get("model").String(); m != "" {
		return m
	}
	return c.Model
}

// openaiError is the envelope that Chat Completions and Responses share,
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

// openaiScan goes through a conversation with what it has met so far.
type openaiScan struct {
	*Request
	calls map[string]jsontree.Node // tool call id to arguments
	said  bool                     // the message is part of the conversation
	last  jsontree.Node            // the arguments of the last call that was answered
	// The space for each part's place, and for what is near it. An image has copies.
	place []int
	near  []jsontree.Node
}

func newOpenAIScan(r *Request) openaiScan {
	return openaiScan{Request: r, calls: map[string]jsontree.Node{}, place: make([]int, 0, 4), near: make([]jsontree.Node, 0, 4)}
}

// content reads a content that is a text or a list of parts. near are nodes
// that may name an image in it.
func (s *openaiScan) content(c jsontree.Node, place []int, near []jsontree.Node) {
	if c.Kind() == '"' && s.said {
		s.text(c)
	}
	var before jsontree.Node
	for i, p := range c.Elements() {
		by := near
		if before.Exists() {
			by = append(near, before)
		}
		s.part(p, append(place, i), by)
		before = p.Get("text") // it names the part that follows, not all of them
	}
}

// part reads one part of either API: they differ in names, not in kind.
func (s *openaiScan) part(p jsontree.Node, place []int, near []jsontree.Node) {
	im := Image{Place: place, part: p, near: near}
	var content jsontree.Node
	inline := false
	switch string(p.Get("type").Text()) {
	case "text", "input_text", "output_text":
		if s.said {
			s.text(p.Get("text"))
		}
		return
	case "image_url", "input_image", "computer_screenshot":
		im.Media, content = Picture, p.Get("image_url")
	case "video_url", "input_video":
		im.Media, content = Video, p.Get("video_url")
	case "audio_url":
		im.Media, content = Audio, p.Get("audio_url")
	case "input_audio":
		im.Media, content, inline = Audio, p.Get("input_audio", "data"), true
		im.Label = mediaLabel("audio", p.Get("input_audio", "format").String())
	case "file", "input_file":
		s.file(p, im)
		return
	default:
		return
	}
	if content.Kind() == '{' {
		content = content.Get("url")
	}
	s.fillOr(im, content, inline, p.Get("file_id"))
}

// file reads Chat's {"file":{…}} and Responses' flat form.
func (s *openaiScan) file(p jsontree.Node, im Image) {
	if f := p.Get("file"); f.Kind() == '{' {
		p = f
	}
	im.name = p.Get("filename").String()
	content, inline := p.Get("file_data"), true
	if !content.Exists() {
		content, inline = p.Get("file_url"), false
	}
	im.Media = Document
	s.fillOr(im, content, inline, p.Get("file_id"))
}

// fillOr adds the image with its content, or else with its file id.
func (s *openaiScan) fillOr(im Image, content jsontree.Node, inline bool, id jsontree.Node) {
	switch {
	case content.Kind() == '"':
		im.fill(content, inline)
	case id.Kind() == '"':
		im.fillFile(id)
	default:
		return
	}
	im.Media = mediaOf(im.Label, im.Media)
	im.Place, im.near = slices.Clone(im.Place), slices.Clone(im.near)
	s.add(im)
}

func mediaLabel(kind, format string) string {
	if format == "" {
		return ""
	}
	return kind + "/" + strings.ToLower(format)
}
