package failure

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var sanitized = []struct{ message, want string }{
	{"Could not process image", "Could not process image"},
	{"messages.10.content.0.tool_result.content.0.image.source.base64: Could not process image", "messages.10.content.0.tool_result.content.0.image.source.base64: Could not process image"},
	{"Image does not match the provided media type image/jpeg", "Image does not match the provided media type image/jpeg"},
	{"Supported formats: ['png', 'jpeg', 'gif', 'webp'].", "Supported formats: ['png', 'jpeg', 'gif', 'webp']."},
	{"404, message='Not Found', url='https://u:p@cdn.example.test/a.png?sig=SECRET'", "404, message='Not Found', url='<url>'"},
	{"404, message='Not Found', url='https://cdn.example.test<path>?oe=SECRET'", "404, message='Not Found', url='<url>'"},
	{"404, message='Not Found', url='[URL_REDACTED]'", "404, message='Not Found', url='<url>'"},
	{"Unable to process input image. Please retry or report in https://developers.example.test/guide.", "Unable to process input image. Please retry or report in <url>."},
	{"Upstream said (https://h.example.test/a,b), twice", "Upstream said (<url>), twice"},
	{"dial postgres://user:pw@db:5432/x failed", "dial <url> failed"},
	{`see https:\/\/h.example.test\/x`, "see <url>"},
	{"see https%3A%2F%2Fh.example.test%2Fx", "see <url>"},
	{"Max retries exceeded with url: /a.jpg?sig=SECRET (Caused by X)", "Max retries exceeded with url: <url> (Caused by X)"},
	{"Failed to decode image 'data:image/png;base64,eyJkZXRh...': cannot identify", "Failed to decode image '<data>': cannot identify"},
	{"Invalid url format: data:application/pdf;base64", "Invalid url format: <data>"},
	{"cannot identify image file <_io.BytesIO object at 0x7f3a1c2d4e50>", "cannot identify image file <_io.BytesIO object>"},
	{"Failed to parse messages: Unsupported content part type; messages = [{\"role\":\"user\",\"content\":\"my secret\"}]", "Failed to parse messages: Unsupported content part type"},
	{`Bad request: {"messages":[{"role":"user","content":"my secret"}]}`, "Bad request: <messages>"},
	{"Error while loading data ImageData(url='data:image/png;base64,AAAA', detail='auto'): image file is truncated", "Error while loading data <data>: image file is truncated"},
	{"Input tag 'x' found using 'type' does not match any of the expected tags: 'text'", "Input tag 'x' found using 'type' does not match any of the expected tags: 'text'"},
	{"token " + strings.Repeat("aB3", 20), "token <data>"},
	{"digest 0123456789abcdef0123456789abcdef", "digest <data>"},
	{"key sk-ant-api03-abcdefghijk is wrong", "key <secret> is wrong"},
	{"Authorization: Bearer abc.def.ghi", "Authorization: Bearer <secret>"},
	{"code document_parser_too_many_pages_of_this_document", "code document_parser_too_many_pages_of_this_document"},
	{"a\x1b[31m\r\n\tb\u202ec", "a [31m b c"},
	{"bad \xff byte", "bad \uFFFD byte"},
	{"图片输入格式/解析错误", "图片输入格式/解析错误"},
	{"", ""},
}

func TestSanitize(t *testing.T) {
	t.Parallel()
	for _, s := range sanitized {
		if got := Sanitize(s.message); got != s.want {
			t.Errorf("Sanitize(%q)\n  = %q,\nwant %q", s.message, got, s.want)
		}
	}
}

func TestSanitizeCutsAtWord(t *testing.T) {
	t.Parallel()
	got := Sanitize(strings.Repeat("wörter ", 200))
	if n := utf8.RuneCountInString(got); n > maxShown || n < maxShown-10 || !strings.HasSuffix(got, "wörter …") {
		t.Errorf("%d runes: %q", n, got)
	}
	if n := utf8.RuneCountInString(Sanitize(strings.Repeat("ö", 1000))); n > maxShown {
		t.Errorf("%d runes of one word", n)
	}
}

// What every message must be once it is sanitized.
func checkSanitized(t *testing.T, message string) {
	t.Helper()
	got := Sanitize(message)
	switch {
	case strings.Contains(got, "://") || strings.Contains(got, "base64,"):
		t.Errorf("Sanitize(%q) = %q holds an address or payload", message, got)
	case Sanitize(got) != got:
		t.Errorf("Sanitize(%q) = %q, and again %q", message, got, Sanitize(got))
	case utf8.RuneCountInString(got) > maxShown || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\x1b\x00"):
		t.Errorf("Sanitize(%q) = %q", message, got)
	}
}

func TestSanitizeCorpus(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"upstream-errors.jsonl", "more-errors.jsonl"} {
		rows := readRows(t, name)
		for i := 0; i < len(rows); i += len(rows) / work(len(rows)) {
			r := rows[i]
			checkSanitized(t, r.Body)
			checkSanitized(t, Judge(r.answer()).Message)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	for _, s := range sanitized {
		f.Add(s.message)
	}
	for _, r := range readRows(f, "upstream-errors.jsonl") {
		f.Add(r.Body)
	}
	f.Fuzz(checkSanitized)
}
