package failure

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"imagebreaker/internal/record"
)

// A pointerRule reads one upstream's way to name the culprit.
type pointerRule struct {
	name string
	re   *regexp.Regexp // over the message, the param and the field violations
	// format is the pointer's text: one %d for each number that was found.
	format []string
	base   int    // what the upstream counts from
	kind   string // set: the number counts items of the kind in group 1
	media  bool   // names a message or field only: counts for a media failure alone
}

func pointers() []pointerRule {
	const tool = `(?:\.tool_result\.content[.\[]+(\d+)\]?)?`
	const media = `\.(?:image|image_url|input_image|document|pdf|file|video|video_url|audio|audio_url|input_audio|source|media|ImageContent|type\b)`
	block := []string{"messages.%d.content.%d", "messages.%d.content.%d.tool_result.content.%d"}
	return []pointerRule{
		// Bedrock's front door counts from 1
		{name: "member", base: 1, format: block,
			re: compilePath(`messages\.(\d+)\.member\.content\.(\d+)\.member(?:\.toolResult\.content\.(\d+)\.member)?\.(?:image|document|video)`)},
		// Anthropic, FastAPI, and OpenAI's messages.[1].content.[1].type
		{name: "block", format: block,
			re: compilePath(`messages\.?\[?(\d+)\]?\.content[.\[]+(\d+)\]?` + tool + media)},
		// Bedrock's JSON schema, whose path is a JSON Pointer
		{name: "json-pointer", format: block,
			re: compilePath(`#/messages/(\d+)/content/(\d+)(?:/toolResult/content/(\d+))?/(?:image|document|video|audio)\b`)},
		// Anthropic's validator, which names a block of a wrong type and no media
		{name: "bare-block", format: block, media: true,
			re: compilePath(`messages\.(\d+)\.content\.(\d+)(?:\.tool_result\.content\.(\d+))?: `)},
		// OpenAI Responses
		{name: "item", format: []string{"input[%d].content[%d]"},
			re: compilePath(`input\[(\d+)\]\.content\[(\d+)\]`), media: true},
		{name: "output", format: []string{"input[%d].output[%d]"},
			re: compilePath(`input\[(\d+)\]\.output\[(\d+)\]`), media: true},
		// Gemini
		{name: "function-part", format: []string{"contents[%d].parts[%d].function_response.parts[%d]"},
			re: compilePath(`contents\[(\d+)\]\.parts\[(\d+)\]\.function_?[rR]esponse\.parts\[(\d+)\]`)},
		{name: "part", format: []string{"contents[%d].parts[%d]"},
			re: compilePath(`contents\[(\d+)\]\.parts\[(\d+)\]\.(?:inline|file)_?[dD]ata`)},
		// SGLang
		{name: "loading", kind: "kind", format: []string{"%s[%d]"},
			re: compilePath(`loading (IMAGE|VIDEO|AUDIO) data at index (\d+)`)},
		// OpenAI's form fields, and the ordinal of its picture editor
		{name: "field", format: []string{"%s"}, media: true,
			re: compilePath(`[Ff]ile '(image(?:\[\d+\])?|mask)'`)},
		{name: "ordinal", format: []string{"%s"}, media: true,
			re: compilePath(`image file or mode for (image \d+)`)},
		// DeepSeek, Groq, OpenAI
		{name: "message", format: []string{"messages.%d"}, media: true,
			re: compilePath(`messages?\.?\[(\d+)\]`)},
	}
}

func compilePath(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// point finds the culprit that an answer names.
func (e *engine) point(s subject, v record.Verdict) (string, Pointer) {
	places := append([]string{s.clean, s.param}, s.fields...)
	for _, r := range e.pointers {
		if r.media && v == record.None {
			continue
		}
		for _, text := range places {
			if m := r.re.FindStringSubmatch(shorten(text, maxMessage)); m != nil {
				return r.read(m[1:])
			}
		}
	}
	return "", Pointer{}
}

// read makes a pointer of what the groups matched.
func (r pointerRule) read(groups []string) (string, Pointer) {
	if r.kind != "" {
		n, _ := strconv.Atoi(groups[1])
		return fmt.Sprintf(r.format[0], groups[0], n), Pointer{Kind: strings.ToLower(groups[0]), Index: n}
	}
	if r.format[0] == "%s" {
		return groups[0], Pointer{}
	}
	var p Pointer
	var args []any
	for _, g := range groups {
		n, err := strconv.Atoi(g)
		if err != nil || n < r.base {
			break
		}
		p.Path = append(p.Path, n-r.base)
		args = append(args, n-r.base)
	}
	for _, f := range r.format {
		if strings.Count(f, "%d") == len(args) {
			return fmt.Sprintf(f, args...), p
		}
	}
	return "", Pointer{}
}

var loadedURL = regexp.MustCompile(`Error while loading data (?:\w+\(url=)?['"]?(https?://[^\s'"),]+)(['"]|: )`)

// culpritURL is the address that a message blames, if it is whole.
func culpritURL(s subject) string {
	if m := loadedURL.FindStringSubmatch(s.message); m != nil {
		return wholeURL(strings.TrimRight(m[1], ":."), "")
	}
	for _, a := range s.address {
		if a.text != "" && (strings.HasPrefix(a.text, "http://") || strings.HasPrefix(a.text, "https://")) {
			return a.text
		}
	}
	return ""
}
