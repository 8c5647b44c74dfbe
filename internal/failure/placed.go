package failure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A placed is a JSON value and where it begins in its file, so that whoever wrote
// the file can be told which line is wrong.
type placed struct {
	at  int // in bytes
	raw jsontext.Value
}

func decoderOf(data []byte) *jsontext.Decoder {
	// Only over a bytes.Buffer does the decoder read in place.
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
}

// wholeJSON reads a file that holds one JSON value and nothing else. What
// it returns is known to be JSON, with all that is inside.
func wholeJSON(data []byte) (placed, error) {
	d := decoderOf(data)
	v, err := d.ReadValue()
	var syntax *jsontext.SyntacticError
	switch {
	case err == io.EOF:
		return placed{}, errors.New("line 1:1: not JSON: the file is empty")
	case errors.As(err, &syntax):
		return placed{}, notJSON(data, int(syntax.ByteOffset), syntax.Err)
	case err != nil:
		return placed{}, fmt.Errorf("not JSON: %w", err)
	}
	end := int(d.InputOffset())
	if rest := bytes.TrimLeft(data[end:], " \t\r\n"); len(rest) > 0 {
		return placed{}, notJSON(data, len(data)-len(rest), errors.New("text after the end"))
	}
	return placed{end - len(v), v}, nil
}

// notJSON says what is wrong at a place, and what people mean who write that.
func notJSON(data []byte, at int, cause error) error {
	rest, hint := data[at:], ""
	switch {
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), bytes.HasPrefix(rest, []byte("#")):
		return fmt.Errorf("line %s: not JSON: comments are not supported", position(data, at))
	case cause == io.ErrUnexpectedEOF:
		cause = errors.New("the file ends too early")
	case bytes.HasPrefix(rest, []byte(`\`)) && !bytes.HasPrefix(rest, []byte(`\u`)):
		hint = `; write \\ for a pattern's backslash`
	}
	return fmt.Errorf("line %s: not JSON: %w%s", position(data, at), cause, hint)
}

// position is line:column, the column in characters, both from 1.
func position(data []byte, at int) string {
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	return fmt.Sprintf("%d:%d", lineOf(data, at), utf8.RuneCount(data[start:at])+1)
}

// lineOf counts from 1.
func lineOf(data []byte, at int) int { return bytes.Count(data[:at], []byte("\n")) + 1 }

// inside lists the values of a list, or the names and values of an object in turn.
func (p placed) inside() []placed {
	var out []placed
	d := decoderOf(p.raw)
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() != ']' && d.PeekKind() != '}' {
		var v jsontext.Value
		if v, err = d.ReadValue(); err == nil {
			end := int(d.InputOffset())
			out = append(out, placed{p.at + end - len(v), p.raw[end-len(v) : end]})
		}
	}
	return out
}

// text is a string's text; "" for any other value.
func (p placed) text() string {
	if p.raw.Kind() != '"' {
		return ""
	}
	s, err := jsontext.AppendUnquote(nil, p.raw)
	if err != nil { // not of a value that was read
		return ""
	}
	return string(s)
}

// what names the kind of a value for an error.
func (p placed) what() string {
	switch p.raw.Kind() {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "a list"
	case '{':
		return "an object"
	}
	return string(p.raw) // null, true, false
}
