package failure

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"imagebreaker/internal/record"
)

// said is a message, alone in an error body of status 400, that one rule decides.
type said struct{ rule, message string }

// hits has a message for every rule over text: what an upstream says in that kind.
var hits = []said{
	// vetoes
	{"oom", "An exception occurred while loading IMAGE data at index 0: Error while loading data ImageData(url='https://h.example.test/a.png'): CUDA out of memory. Tried to allocate 50.00 MiB"},
	{"oom", "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 3.2 GiB for an array with shape (30000, 30000, 3): cannot process image"},
	{"image-pull", "Failed to pull image \"registry.example.test/vision:1\": manifest unknown"},
	{"image-pull", "Error response from daemon: No such image: vision-server:latest"},
	{"image-pull", "could not decode image layer sha256:12"},
	{"processing", "The File abc is not in an ACTIVE state and usage is not allowed."},
	{"processing", "Video file is still being processed, invalid video for now"},
	{"please-wait", "Too many images tokens, please wait before trying again."},
	{"rate", "Rate limit reached for gpt-example on input-images per min."},
	{"rate", "Quota exceeded for metric: input_images"},
	{"context", "the request exceeds the available context size, invalid image"},
	{"context", "The decoder prompt is longer than the maximum model length of 8192. The number of image tokens depends on the number of images"},
	{"billing", "Your credit balance is too low. Invalid image."},
	{"overload", "Overloaded: cannot process image"},
	{"overload", "server busy, please try again. maximum pending requests exceeded"},
	{"edge", "Cloudflare could not establish a TCP connection to the origin server."},
	{"request-timeout", "Request timed out. - timeout value=240.0"},
	{"stream", "An error occurred while streaming the response: cannot decode image"},
	{"infra", "EngineCore encountered an issue. See stack trace: failed to process image"},
	{"infra", "image processing worker unavailable"},
	{"infra", "failed to dial postgres url='postgres://db/x' message='conn refused'"},
	{"making", "image generation models are not currently supported"},
	{"making", "No endpoints found that support the requested output modalities: image, text"},
	{"making", "Unable to auto-generate mask image with given input image and mask prompt."},
	{"tools", "tools.14.custom.input_schema: image must be a valid image"},
	{"tools", "No endpoints found that support tool use. Try disabling \"invalid image\"."},
	{"model", "model: claude-vision-0-example"},
	{"model", "model \"llama3.2-vision\" not found, try pulling it first"},
	{"request-size", "Request payload size exceeds the limit: 20971520 bytes."},
	{"header", "missing required Copilot-Vision-Request header for vision requests"},
	{"header", "Incorrect API key provided. image_url is not supported"},
	{"policy", "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."},
	{"other-field", "messages: text content blocks must be non-empty"},
	{"other-field", "Invalid value: 'text'. Invalid image."},
	// network
	{"timeout", "Connection timeout to host https://cdn.example.test<path>"},
	{"timeout", "Timeout loading image: 'https://cdn.example.test/a.jpg'"},
	{"connection", "Cannot connect to host media.example.test:443 ssl:default [Connect call failed]"},
	{"connection", "Connection to cdn.example.test refused, please provide available URL."},
	{"name", "failed to fetch image: lookup media.example.test: no such host"},
	{"tls", "cannot download image: SSLCertVerificationError: certificate verify failed"},
	{"gave-up", "Unable to fetch image from URL after 3 attempts. url=https://cdn.example.test/a.png"},
	// sizes
	{"many-image", "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"},
	{"dimensions", "At least one of the image dimensions exceed max allowed size: 8000 pixels"},
	{"dimensions", "absolute aspect ratio must be smaller than 200, got 413.0"},
	{"dimensions", "height:10 or width:3 must be larger than factor:28"},
	{"at-most-none", "At most 0 image(s) may be provided in one prompt."},
	{"too-many", "At most 3 image(s) may be provided in one request."},
	{"too-many", "Too much media: 0 document pages + 101 images > 100"},
	{"too-many", "You can include at most 20 images per request"},
	{"too-many", "vision model only supports a single image per message"},
	{"too-many", "it has 20 video files but the model only supports up to 10"},
	{"encoder-cache", "The decoder prompt contains a(n) image item with length 6132, which exceeds the pre-allocated encoder cache size 6084."},
	{"pages", "A maximum of 100 PDF pages may be provided."},
	{"pages", "This document has 1486 pages, which is more than the maximum allowed of 1000."},
	{"bytes", "image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"},
	{"bytes", "Image size (61.44MB) exceeds maximum allowed size (50.0MB)."},
	{"bytes", "audio file too large"},
	{"empty", "image cannot be empty"},
	{"empty", "The audio is empty"},
	// addresses
	{"robots", "This URL is disallowed by the website's robots.txt file."},
	{"not-allowed", "Image URL domain 'upload.example.test' is not allowed."},
	{"not-allowed", "Only HTTPS URLs are supported."},
	{"not-allowed", "image URLs are not currently supported, please use base64 encoded data instead"},
	{"data-url-mime", "Expected a base64-encoded data URL with an image MIME type, but got unsupported MIME type 'text/html'."},
	{"base64", "Expected a base64-encoded data URL with an image MIME type, but got an invalid base64-encoded value."},
	{"url", "Invalid or unsupported file uri: https://cdn.example.test/cat.jpg"},
	{"url", "image_url must be a data URI or a valid URL"},
	{"url", "The URL must be either a HTTP, data or file URL."},
	// formats
	{"mismatch", "The image was specified using the image/png media type, but the image appears to be a image/jpeg image"},
	{"mismatch", "The provided image does not match the specified image format."},
	{"type-enum", "image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"},
	{"mime", "Unsupported MIME type: image/svg+xml"},
	{"mime", "Could not decode image: cannot find loader for this WMF file"},
	{"content-type", "Unsupported content-type encountered when downloading image"},
	{"content-type", "the URL did not return an image"},
	{"format", "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp']."},
	{"invalid", "You uploaded an unsupported image. Please make sure your image is valid."},
	{"format", "image media type not supported"},
	{"represent", "The image data you provided does not represent a valid image"},
	{"supported-list", "Supported formats: png, jpeg"},
	{"supported-list", "Only JPEG, PNG, GIF and WebP images are supported"},
	{"base64", "illegal base64 data at input byte 4"},
	{"base64", "Incorrect padding"},
	{"base64", "Only base64 data URLs are supported for now."},
	{"base64", "'url' field must be a base64 encoded image."},
	{"block", "messages.0.content.1: Input tag 'image_url' found using 'type' does not match any of the expected tags: 'text', 'image'"},
	{"block", "image detail has to be either 'low' or 'high'"},
	// models
	{"no-endpoint", "No endpoints found that support image input"},
	{"sense-unsupported", "image input is not supported - hint: choose another server"},
	{"sense-unsupported", "Audio inputs are not available"},
	{"does-not-support", "Model do not support image input"},
	{"does-not-support", "This model doesn't support the image field for user messages."},
	{"text-only", "example/text-7b is not a multimodal model"},
	{"text-only", "This model accepts only text input"},
	{"part-type", "Unknown modality: image"},
	{"part-type", "unknown variant `image_url`, expected `text` at line 1 column 746109"},
	{"part-type", "Unsupported content part type: \"image_url\""},
	{"string-content", "messages[0].content must be a string"},
	{"certain-models", "Pictures are only supported by certain models."},
	{"certain-models", "Unsupported use of 'image_url' parameter."},
	{"no-projector", "you may need to provide the mmproj"},
	{"no-projector", "this model is missing data required for image input"},
	{"model-zh", "当前模型不支持图片输入"},
	// documents
	{"pdf-process", "Could not process PDF"},
	{"pdf-process", "The document has no pages."},
	{"pdf", "The PDF specified was not valid."},
	{"pdf", "The PDF specified is password protected."},
	{"file-id", "File not found: file_011EXAMPLEexample"},
	{"file-id", "No such File object: file-abc123"},
	{"file-gone", "File not found"},
	{"policy-image", "Your input image may contain content that is not allowed by our safety system."},
	// fetches
	{"decoder", "no decoder backend installed"},
	{"decoder", "Failed to load video: No module named 'decord'"},
	{"length-header", "Missing Content-Length of multimodal url."},
	{"denied", "Don't have authorization to access the media resource during the data inspection process."},
	{"fetch", "Unable to download the file. Please verify the URL and try again."},
	{"fetch", "Failed to download multimodal content."},
	{"fetch", "File could not be fetched from url"},
	// contents
	{"pillow", "cannot identify image file <_io.BytesIO object>"},
	{"pillow", "broken PNG file (chunk b'\\x00')"},
	{"go-image", "image: unknown format"},
	{"go-image", "decode WebP image: unexpected EOF"},
	{"rust-image", "The image format could not be determined"},
	{"av", "SingleStreamDecoder, Failed to open input buffer: Invalid data found when processing input"},
	{"av", "ERROR cannot find video stream with wanted index: -1"},
	{"sndfile", "Error opening <_io.BytesIO object at 0x7f00>: Format not recognised."},
	{"decode", "Could not process image"},
	{"decode", "Unable to process input image. Please retry or report in https://developers.generativeai.google/x"},
	{"load", "Failed to load image or audio file"},
	{"passive", "Audio input could not be decoded. "},
	{"broken", "Provided image is not valid."},
	{"broken", "File is corrupted."},
	{"invalid", "Invalid video file."},
	{"invalid", "invalid image data"},
	{"load-url", "Failed to load image (https://cdn.example.test/a)"},
	{"source-path", "messages.3.content.1.image.source.base64: what is this?"},
	{"decode-zh", "图片输入格式/解析错误"},
	// ambiguous
	{"invalid-argument", "Request contains an invalid argument."},
	{"validation-error", "Validation Error"},
	{"part-riddle", "<400> InternalError.Algo.InvalidParameter: Unexpected item type in content."},
	{"tokenize", "Failed to tokenize prompt"},
	{"server", "Internal server error"},
	{"server-sorry", "The server encountered an unexpected internal error"},
}

// nears has a near miss for every rule over text: close in words, another thing.
// It must not match that rule, and blame no image.
var nears = []said{
	{"oom", "max_memory must be an integer"},
	{"image-pull", "image_prompt must be set"},
	{"processing", "processing mode must be one of fast, slow"},
	{"please-wait", "wait_for_model must be a boolean"},
	{"rate", "sample_rate is required"},
	{"context", "context must be a list"},
	{"billing", "bill_to must be a string"},
	{"overload", "operator overloads must be listed"},
	{"edge", "origin must be a string"},
	{"request-timeout", "timeout must be a positive number of seconds"},
	{"stream", "stream must be a boolean"},
	{"infra", "search_engine must be a string"},
	{"making", "images may be given as input"},
	{"tools", "prompt_tool must be a string"},
	{"model", "model must be a string"},
	{"request-size", "request must be an object"},
	{"header", "headers must be an object"},
	{"policy", "policy must be one of strict, lax"},
	{"other-field", "seed must be an integer"},
	{"timeout", "time must be a number"},
	{"connection", "connection must be keep-alive"},
	{"name", "name must be a string"},
	{"tls", "tls_version must be a string"},
	{"gave-up", "retries must be a number"},
	{"many-image", "images must be a list with many entries"},
	{"dimensions", "This model does not support specifying dimensions."},
	{"at-most-none", "At most 0 tools may be provided"},
	{"too-many", "Too many requested stop sequences: at most 4"},
	{"encoder-cache", "The encoder cache is exhausted by an image item, retry later"},
	{"pages", "page must be at least 1"},
	{"bytes", "string exceeds maximum length of 4096"},
	{"empty", "messages: text cannot be empty"},
	{"robots", "robots must be polite"},
	{"not-allowed", "Extra inputs are not allowed"},
	{"data-url-mime", "data_url_mime: unknown field"},
	{"url", "Invalid URL (POST /v1/chat/completionss)"},
	{"mismatch", "expected value does not match the pattern"},
	{"type-enum", "type: Input should be 'enabled' or 'disabled'"},
	{"mime", "mime field is unknown"},
	{"content-type", "Unsupported media type \"text/plain\" in request."},
	{"format", "Unsupported response format"},
	{"represent", "does not represent a valid date"},
	{"supported-list", "Supported values: low, medium, high"},
	{"base64", "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed"},
	{"block", "messages.1.content.0: Input tag 'reasoning' found using 'type' does not match any of the expected tags: 'image', 'text'"},
	{"no-endpoint", "No endpoints found that support reasoning"},
	{"sense-unsupported", "logprobs input is not supported"},
	{"does-not-support", "registry.ollama.ai/library/llava-image:latest does not support chat"},
	{"text-only", "text must be set, only once"},
	{"part-type", "unknown variant `custom`, expected `text`"},
	{"string-content", "messages[0].name must be a string"},
	{"certain-models", "logit_bias is only supported by certain backends"},
	{"no-projector", "a project is required for image lists"},
	{"model-zh", "模型不存在"},
	{"pdf-process", "Could not process request"},
	{"pdf", "pdf_mode must be one of text, native"},
	{"file-id", "Vector store not found: vs_123"},
	{"file-gone", "Not found"},
	{"policy-image", "Your input may contain words that are not allowed by our safety system."},
	{"decoder", "No module named 'fastapi'"},
	{"length-header", "Content-Length must be a number"},
	{"denied", "You are not allowed to access this feature"},
	{"fetch", "Failed to fetch model config"},
	{"pillow", "cannot identify the caller"},
	{"go-image", "json: invalid character 'x'"},
	{"rust-image", "the output format could not be determined"},
	{"av", "no stream was requested"},
	{"sndfile", "Error opening session"},
	{"decode", "Could not process prompt about an image"},
	{"load", "Failed to load image processor"},
	{"passive", "The prompt could not be parsed"},
	{"broken", "The checkpoint file is corrupted"},
	{"invalid", "Invalid image size '640x480'"},
	{"load-url", "Failed to load config https://h.example.test/config.json"},
	{"source-path", "metadata.image.source.tag is unknown"},
	{"decode-zh", "请求参数解析错误"},
	{"invalid-argument", "argument must be valid"},
	{"validation-error", "1 validation error for Request: model is missing"},
	{"part-riddle", "Unexpected content type in item"},
	{"tokenize", "tokenize must be a boolean"},
	{"server", "server must be a string"},
	{"server-sorry", "server must not be an error"},
}

func (s said) judge(e *engine) Judgement {
	return e.judge(Answer{Status: 400, Body: fmt.Appendf(nil, `{"error":{"message":%s}}`, quoteJSON(s.message))})
}

// textRules are all rules that read a message.
func (e *engine) textRules() []rule {
	return slices.Concat(e.vetoes, e.network, e.wording, e.ambiguous)
}

func ruleNamed(t *testing.T, name string) rule {
	t.Helper()
	rules := standard().textRules()
	i := slices.IndexFunc(rules, func(r rule) bool { return r.name == name })
	if i < 0 {
		t.Fatalf("no rule %s", name)
	}
	return rules[i]
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for _, h := range hits {
		r, j := ruleNamed(t, h.rule), h.judge(standard())
		if j.Rule != r.name || j.Verdict != r.verdict || j.Reason != r.reason {
			t.Errorf("%q: %s %s by %s, want %s %s by %s", h.message, j.Verdict, j.Reason, j.Rule, r.verdict, r.reason, r.name)
		}
	}
}

func TestNearMisses(t *testing.T) {
	t.Parallel()
	for _, n := range nears {
		if text := plain(n.message, slices.Concat(standard().echoes, standard().expectedValues)); ruleNamed(t, n.rule).in(text) {
			t.Errorf("%s matches %q", n.rule, text)
		}
		if j := n.judge(standard()); j.Verdict != record.None {
			t.Errorf("%q: %s %s by %s, want none", n.message, j.Verdict, j.Reason, j.Rule)
		}
	}
}

func TestEveryRuleHasCases(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range standard().textRules() {
		if seen[r.name] {
			t.Errorf("two rules are named %s", r.name)
		}
		seen[r.name] = true
		for name, table := range map[string][]said{"message": hits, "near miss": nears} {
			if !slices.ContainsFunc(table, func(s said) bool { return s.rule == r.name }) {
				t.Errorf("rule %s has no %s", r.name, name)
			}
		}
		if g := r.reason.Group(); r.verdict == record.Permanent && (g == record.GroupTransient || g == record.GroupNotMedia || g == record.GroupRateLimit) {
			t.Errorf("rule %s: permanent %s is of group %s", r.name, r.reason, g)
		}
	}
}

// Wordings of no upstream in particular, one on a line: verdict|status|message.
func TestKinds(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../testdata/failure/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 3)
		status, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		j := Judge(Answer{Status: status, Body: []byte(`{"detail":` + quoteJSON(fields[2]) + `}`)})
		if string(j.Verdict) != fields[0] {
			t.Errorf("%s: %s %s by %s", line, j.Verdict, j.Reason, j.Rule)
		}
	}
}
