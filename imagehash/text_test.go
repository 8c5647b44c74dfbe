package imagehash

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestInspectText(t *testing.T) {
	t.Parallel()
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
	for _, c := range []struct {
		data   string
		format Format
	}{
		{"", Empty},

		{pointer, LFSPointer},
		{"\ufeff" + pointer, LFSPointer},

		{"<!DOCTYPE html><html><body><svg></svg>", HTML},
		{"<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">\n<title>", HTML},
		{"\ufeff \r\n\t<HTML lang=en>", HTML},
		{"<html", HTML},
		{"<head>", HTML},
		{"<body class=x>", HTML},
		{"<script>", HTML},
		{"<p>Not found", HTML},
		{"<h1>502 Bad Gateway</h1>", HTML},
		{"<!-- saved from url -->\n<html>", HTML},
		{"<!-- Sorry -->", HTML},
		{"<!-- a comment without an end", HTML},
		{"<!-- c --><thing>", HTML},
		{"<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"x\" \"y\"><html>", HTML},
		{"<?xml version=\"1.0\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\">", HTML},
		{"<?php echo 1 ?><html>", HTML},
		{"<div><svg xmlns=\"http://www.w3.org/2000/svg\"/></div>", HTML},
		{"<html><!-- <svg> -->", HTML},

		{"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\"/>", SVG},
		{"<SVG>", SVG},
		{"<svg\n>", SVG},
		{"<svg:svg xmlns:svg=\"http://www.w3.org/2000/svg\">", SVG},
		{"\ufeff<?xml version=\"1.0\"?>\n<!-- Generator: X -->\n<svg>", SVG},
		{"<!-- a <html> comment --><!-- another --><svg/>", SVG},
		{"<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"svg11.dtd\" [ <!ENTITY a \"b>\"> ]><svg>", SVG},
		{"<?xml version=\"1.0\"?><!DOCTYPE drawing [ <!ENTITY a \"b>\"> ]>\n<svg>", SVG},
		{"<?xml version=\"1.0\"?><?xml-stylesheet href=\"a.css\"?><svg>", SVG},
		{"<!--" + strings.Repeat("long ", 9000) + "--><svg>", SVG},

		{"<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", Text},
		{"<?xml version=\"1.0\"?><rss><svg/></rss>", Text},
		{"<?xml version=\"1.0\"", Text},
		{"<!DOCTYPE note><note/>", Text},
		{"<!DOCTYPE note [", Text},
		{"<Error>no prolog</Error>", Text},
		{"<alice@example.com> wrote", Text},
		{"<", Text},

		{`{"error":{"message":"not found"}}`, JSON},
		{" \n[1, 2, 3]", JSON},
		{`{"cut":"of`, JSON},
		{"{}", JSON},
		{`[{"a":null},` + strings.Repeat(`{"b":[true,1e9,"\u00e9"]},`, 5000), JSON},
		{"{not JSON}", Text},
		{"[image of a cat]", Text},

		{"404 page not found\n", Text},
		{" \r\n", Text},
		{"\ufeff", Text},
		{"Grüße, 図, 😀", Text},
		{"Gr\xfc\xdfe in Latin-1, mostly ASCII", Text},
		{"\x1b[31mred\x1b[0m", Text},
		{"GIF, not 89a", Text},

		{"%PDF-1.7\n%\xe2\xe3\xcf\xd3", PDF},
		{"\ufeff\n%PDF-1.4", PDF},
		{"\x00\x00\x00garbage\x01%PDF-1.4", PDF},
		{"how to write %PDF-1.4 files", Text},

		{"\x00\x01\x02\x03", Unknown},
		{"RIFF\x00\x00", Unknown},
		{"\xff", Unknown},
		{"\xc3\x28\xa0\xa1\xe2\x28", Unknown},
	} {
		want := Broken
		if c.format == SVG || c.format == PDF {
			want = Unsupported
		}
		got := Inspect([]byte(c.data))
		if got.Format != c.format || got.State != want || got.Detail == "" || got.Width != 0 || got.Height != 0 {
			t.Errorf("Inspect(%.60q) = %+v, want %s, %s", c.data, got, c.format, want)
		}
	}
}

// TestInspectUTF16 covers what redirection in PowerShell makes of any output.
func TestInspectUTF16(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Format{
		"<!DOCTYPE html>":         HTML,
		"<svg>":                   SVG,
		`{"a":1}`:                 JSON,
		"just text":               Text,
		"\u2030PNG\r\n\x1a\n\x00": PNG, // read as Windows-1252 before
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			b := order.AppendUint16(nil, 0xfeff)
			for _, unit := range utf16.Encode([]rune(text)) {
				b = order.AppendUint16(b, unit)
			}
			if got := Inspect(b); got.Format != want || got.State == OK {
				t.Errorf("%q in %v: %+v, want %s", text, order, got, want)
			}
		}
	}
}

func TestInspectDetailOfText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, detail string }{
		{"iVBORw0KGgoAAAANSUhEUgAA", "base64 twice"},
		{"/9j/4AAQSkZJRg", "base64 twice"},
		{"data:image/png;base64,iVBOR", "base64 twice"},
		{"https://example.com/cat.png\n", "a URL"},
		{"a note", isText},
		{"\x00\x00\x00\x0cJXL \r\n\x87\n", "JPEG XL"},
		{"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00", "MP4"},
		{"RIFF\x24\x00\x00\x00WAVEfmt ", "WAV"},
		{"PK\x03\x04\x14\x00", "ZIP"},
		{"\x1f\x8b\x08\x00", "gzip"},
		{strings.Repeat("\x00", 600), "zero bytes"},
		{"\x01\x02\x03\x04", isUnknown},
	} {
		if got := Inspect([]byte(c.data)); !strings.Contains(got.Detail, c.detail) {
			t.Errorf("Inspect(%.30q) = %+v, want detail %q", c.data, got, c.detail)
		}
	}
}
