package jsontree

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestReaderAgrees holds the reader against jsontext where the two may part:
// at every kind of fault, and at the borders of words, blocks and depth.
func TestReaderAgrees(t *testing.T) {
	t.Parallel()
	values := []string{
		"", "0", "-0", "-", "01", "1.", ".5", "1.5", "1e5", "1E+05", "1e", "1e-", "-1.0e-9", "+1", "1,", ",1", "1 2", "NaN", "0x1",
		"true", "tru", "True", "trueish", "false", "null", "nul", "nulll", "[", "]", "[]", "[ ]", "[1,]", "[,1]", "[1 2]", "[1]]", "[}", "{]",
		"{}", "{ }", `{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{a:1}`, `{1:1}`, `{"a"::1}`, `{"":""}`, `{"a":1,"a":2}`,
		`{"\u0061\"":1}`, `{"\x":1}`, `"`, `"a`, `"\"`, `"\\"`, `"\\\"`, `"\a"`, `"\u12"`, `"\uG234"`, `"\u1G34"`, `"\u12G4"`, `"\u123G"`, `"\u123`, `"\u1234`, `"\uABcd"`, `"\ud800"`, `"\ud800\u0041"`, `"\U0041"`, `"\u`,
		"\"\xff\"", "\"\xf0\x9f\x98\x80\"", "\"\xf0\x9f\"", "\"\xc3", "\"\x7f\"", "\ufeff1", "\v1", "\x00", "// 1\n1", "'a'",
	}
	for c := range 0x20 {
		values = append(values, "\""+string(rune(c))+"\"", string(rune(c))+"1")
	}
	for _, v := range values {
		for _, body := range []string{v, `{"a":` + v, `{"a":` + v + "}", ` {"a" : [ 1 ,` + v + " ] }\r\n", `{"a":1}` + v} {
			expectAgreement(t, []byte(body))
		}
	}
	for _, n := range []int{maxNesting - 1, maxNesting} {
		expectAgreement(t, []byte(`{"a":`+strings.Repeat("[", n)+strings.Repeat("]", n)+"}"))
		expectAgreement(t, []byte(strings.Repeat(`{"a":`, n)+"{}"+strings.Repeat("}", n)))
	}
}

// TestReaderSeesEveryByte puts each byte at each place where words and blocks
// begin and end.
func TestReaderSeesEveryByte(t *testing.T) {
	t.Parallel()
	for _, length := range []int{3, 8, 17, manyPlain + 9, manyPlain + plainBlock + 20} {
		body := []byte(`{"a":"` + strings.Repeat("x", length) + `","b":1}`)
		for at, was := range body {
			inText := at - len(`{"a":"`)
			if inText > 24 && (inText < manyPlain-8 || inText > manyPlain+8) && len(body)-at > 40 {
				continue
			}
			for c := range 256 {
				body[at] = byte(c)
				expectAgreement(t, body)
			}
			body[at] = was
		}
	}
}

// FuzzTreeDifferential has jsontext as the oracle: it wants the same values at the
// same offsets, or a refusal of both. A run of one byte is put in at a place, for
// what is only met in long strings, and one byte of another kind into the run.
func FuzzTreeDifferential(f *testing.F) {
	files, _ := filepath.Glob("../../testdata/captures/*.json")
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(b, uint16(5000), uint16(700), byte('A'), byte('/'))
		}
	}
	f.Add([]byte(`{"a":[{"b\t":"\ud83d\ude00\/"},-1.5e3,true,false,null,[],{}],"a":"x"}`), uint16(300), uint16(13), byte('A'), byte('"'))
	f.Add([]byte(`{"a":"\\","b":"\"", "c" : "ü"}`), uint16(9000), uint16(6), byte(0xc3), byte('\\'))
	f.Add([]byte(`{"a":" ","b":0}`), uint16(6000), uint16(6), byte(' '), byte(0x1f))
	f.Add([]byte(`{"a":1,"b":[]}`), uint16(70), uint16(6), byte('7'), byte('.'))
	f.Fuzz(func(t *testing.T, body []byte, length, at uint16, fill, odd byte) {
		expectAgreement(t, body)
		cut := int(at) % (len(body) + 1)
		long := bytes.Repeat([]byte{fill}, int(length)%(3*plainBlock))
		expectAgreement(t, bytes.Join([][]byte{body[:cut], long, body[cut:]}, nil))
		if len(long) > 0 {
			long[int(at)%len(long)] = odd
			expectAgreement(t, bytes.Join([][]byte{body[:cut], long, body[cut:]}, nil))
		}
	})
}

func expectAgreement(t *testing.T, body []byte) {
	t.Helper()
	got, err := Parse(body)
	want, wantErr := jsontextNodes(body)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%.100q: error %v; jsontext says %v", body, err, wantErr)
	}
	if err != nil {
		return
	}
	if !slices.Equal(got.t.nodes, want) {
		t.Fatalf("%.100q: %v; jsontext says %v", body, got.t.nodes, want)
	}
}

// jsontextNodes reads an object as Parse does, token by token.
func jsontextNodes(src []byte) ([]node, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(src), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		return nil, ErrNotObject
	}
	var nodes []node
	if err := appendNode(d, &nodes, node{}); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errors.New("more")
	}
	return nodes, nil
}

// appendNode reads the next value, whose name is in n.
func appendNode(d *jsontext.Decoder, nodes *[]node, n node) error {
	raw, err := nextRaw(d, &n)
	if err != nil {
		return err
	}
	n.escaped = n.kind == '"' && bytes.Contains(raw, []byte(`\`))
	self := len(*nodes)
	*nodes = append(*nodes, n)
	last := 0
	for n.kind == '{' && d.PeekKind() != '}' || n.kind == '[' && d.PeekKind() != ']' {
		var child node
		if n.kind == '{' {
			name, err := d.ReadValue()
			if err != nil {
				return err
			}
			child.keyEnd = int32(d.InputOffset())
			child.keyStart = child.keyEnd - int32(len(name))
			child.keyEscaped = bytes.Contains(name, []byte(`\`))
		}
		at := len(*nodes)
		if err := appendNode(d, nodes, child); err != nil {
			return err
		}
		if last == 0 {
			(*nodes)[self].child = int32(at)
		} else {
			(*nodes)[last].next = int32(at)
		}
		last = at
	}
	if n.kind == '{' || n.kind == '[' {
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		(*nodes)[self].end = int32(d.InputOffset())
	}
	return nil
}

// nextRaw reads the next scalar, or the bracket that opens a container.
func nextRaw(d *jsontext.Decoder, n *node) (raw []byte, err error) {
	n.kind = d.PeekKind()
	if n.kind == '{' || n.kind == '[' {
		_, err = d.ReadToken()
		raw = []byte{byte(n.kind)}
	} else {
		raw, err = d.ReadValue()
	}
	n.end = int32(d.InputOffset())
	n.start = n.end - int32(len(raw))
	return raw, err
}
