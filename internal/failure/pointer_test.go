package failure

import (
	"slices"
	"testing"
)

// pointed are bodies that name their culprit.
var pointed = []struct {
	rule, body, want string
	path             []int
	kind             string
	index            int
}{
	{"block", `{"error":{"message":"messages.118.content.4.image.source.base64: image cannot be empty"}}`, "messages.118.content.4", []int{118, 4}, "", 0},
	{"block", `{"error":{"message":"messages.10.content.0.tool_result.content.2.image.source.base64: invalid base64 data"}}`, "messages.10.content.0.tool_result.content.2", []int{10, 0, 2}, "", 0},
	{"block", `{"error":{"message":"messages.2.content.0.pdf.source.base64.data: The PDF specified was not valid."}}`, "messages.2.content.0", []int{2, 0}, "", 0},
	{"block", `{"error":{"message":"x","code":"invalid_value","param":"messages[1].content[2].image_url.url"}}`, "messages.1.content.2", []int{1, 2}, "", 0},
	{"block", `{"error":{"message":"Invalid content type. image_url is only supported by certain models.","param":"messages.[1].content.[2].type"}}`, "messages.1.content.2", []int{1, 2}, "", 0},
	{"block", `{"detail":[{"loc":["body","messages",0,"content",1,"image_url","url"],"msg":"Invalid image URL"}]}`, "messages.0.content.1", []int{0, 1}, "", 0},
	{"member", `{"message":"Value at 'messages.3.member.content.2.member.image.format' failed to satisfy constraint: enum value set"}`, "messages.2.content.1", []int{2, 1}, "", 0},
	{"member", `{"message":"Value at 'messages.3.member.content.1.member.toolResult.content.2.member.image.format' failed to satisfy constraint: enum value set"}`, "messages.2.content.0.tool_result.content.1", []int{2, 0, 1}, "", 0},
	{"item", `{"error":{"message":"Invalid type for 'input[2].content[0].image_url': expected an image URL, but got an object instead."}}`, "input[2].content[0]", []int{2, 0}, "", 0},
	{"output", `{"error":{"message":"x","code":"invalid_value","param":"input[5].output[1].image_url"}}`, "input[5].output[1]", []int{5, 1}, "", 0},
	{"part", `{"error":{"message":"Invalid value at 'contents[0].parts[2].inline_data.data' (TYPE_BYTES), Base64 decoding failed"}}`, "contents[0].parts[2]", []int{0, 2}, "", 0},
	{"part", `{"error":{"message":"Unsupported MIME type: image/bmp","details":[{"fieldViolations":[{"field":"contents[1].parts[3].inlineData"}]}]}}`, "contents[1].parts[3]", []int{1, 3}, "", 0},
	{"function-part", `{"error":{"message":"contents[3].parts[0].function_response.parts[1].inline_data.mime_type: Unsupported MIME type: image/bmp"}}`, "contents[3].parts[0].function_response.parts[1]", []int{3, 0, 1}, "", 0},
	{"loading", `{"message":"An exception occurred while loading VIDEO data at index 2: Error while loading data x: image file is truncated"}`, "VIDEO[2]", nil, "video", 2},
	{"field", `{"error":{"message":"Invalid file 'image': unsupported mimetype ('application/octet-stream'). Supported file formats are 'image/png'.","param":"image"}}`, "image", nil, "", 0},
	{"ordinal", `{"error":{"message":"Invalid image file or mode for image 1, please check your image file."}}`, "image 1", nil, "", 0},
	{"message", `{"error":{"message":"messages[1]: unknown variant ` + "`image_url`, expected `text`" + ` at line 1"}}`, "messages.1", []int{1}, "", 0},
	{"bare-block", `{"error":{"message":"messages.5.content.1: Input tag 'image_url' found using 'type' does not match any of the expected tags: 'text'"}}`, "messages.5.content.1", []int{5, 1}, "", 0},
	// nothing is named
	{"", `{"error":{"message":"messages.5.content.1: Input tag 'reasoning' found using 'type' does not match any of the expected tags: 'image'"}}`, "", nil, "", 0},
	{"", `{"error":{"message":"Could not process image"}}`, "", nil, "", 0},
	{"", `{"error":{"message":"messages.39: tool_use ids were found without tool_result blocks"}}`, "", nil, "", 0},
	{"", `{"error":{"message":"messages[3].role must be one of user, assistant"}}`, "", nil, "", 0},
	{"", `{"error":{"message":"tools.14.custom.input_schema: image is invalid"}}`, "", nil, "", 0},
	{"", `{"error":{"message":"messages.4.content.1.text: Could not process image"}}`, "", nil, "", 0},
	{"", `{"message":"Value at 'messages.0.member.content.0.member.image.format' failed to satisfy constraint: enum value set"}`, "", nil, "", 0},
	{"", `{"error":{"message":"messages.99999999999999999999.content.0.image.source: invalid image"}}`, "", nil, "", 0},
	{"", `{"error":{"message":"At most 4 image(s) may be provided in one prompt.","param":"image"}}`, "", nil, "", 0},
}

func TestPointers(t *testing.T) {
	t.Parallel()
	for _, p := range pointed {
		j := Judge(Answer{Status: 400, Body: []byte(p.body)})
		g := j.Pointer
		if j.PointsAt != p.want || !slices.Equal(g.Path, p.path) || g.Kind != p.kind || g.Index != p.index {
			t.Errorf("%s: %q %+v, want %q", p.body, j.PointsAt, g, p.want)
		}
	}
}
