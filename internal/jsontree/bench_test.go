package jsontree

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// BenchmarkTreeAgainstDecoder holds Parse against the decoders that could stand
// in its place: jsontext once for the same tree, and once only to visit each token
// and its offset, as encoding/json does. All are timed in turn; reported are the
// medians and how many times as long the decoders take.
func BenchmarkTreeAgainstDecoder(b *testing.B) {
	for _, c := range []struct {
		name string
		body []byte
	}{
		{"10MB-one-image", toolImagesBody(1, 7500<<10)},
		{"32MB-images-in-tool-results", toolImagesBody(13, 1800<<10)},
		{"300KB-of-text", textBody(300 << 10)},
	} {
		b.Run(c.name, func(b *testing.B) { compareDecoders(b, c.body) })
	}
}

func compareDecoders(b *testing.B, body []byte) {
	readers := []struct {
		name string
		read func([]byte) error
	}{
		{"tree", func(body []byte) error { _, err := Parse(body); return err }},
		{"jsontext-tree", func(body []byte) error { _, err := jsontextNodes(body); return err }},
		{"jsontext-visit", visitWithJSONText},
		{"encoding-json-visit", visitWithEncodingJSON},
	}
	took := make([][]time.Duration, len(readers))
	for b.Loop() {
		for i, r := range readers {
			start := time.Now()
			err := r.read(body)
			took[i] = append(took[i], time.Since(start))
			if err != nil {
				b.Fatal(r.name, err)
			}
		}
	}
	b.ReportMetric(0, "ns/op") // the sum of all says nothing
	ours := median(took[0])
	for i, r := range readers {
		m := median(took[i])
		b.ReportMetric(float64(m.Nanoseconds())/1000, r.name+"-us")
		if i > 0 {
			b.ReportMetric(float64(m)/float64(ours), "x-"+r.name)
		}
	}
}

// visitWithJSONText goes through the tokens, as lenient as Parse is.
func visitWithJSONText(body []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var sum int64
	for {
		_, err := d.ReadToken()
		if err != nil {
			return wholeUpTo(err, sum)
		}
		sum += d.InputOffset()
	}
}

func visitWithEncodingJSON(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	var sum int64
	for {
		_, err := d.Token()
		if err != nil {
			return wholeUpTo(err, sum)
		}
		sum += d.InputOffset()
	}
}

// wholeUpTo takes the end of a body that was visited for no error.
func wholeUpTo(err error, offsets int64) error {
	if err == io.EOF && offsets > 0 {
		return nil
	}
	return fmt.Errorf("after offsets of %d: %w", offsets, err)
}

// toolImagesBody is an agent's history: n images of size bytes each, as the
// results of tools, with calls and texts between them.
func toolImagesBody(n, size int) []byte {
	noise := make([]byte, size)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	data := base64.StdEncoding.EncodeToString(noise)
	var b bytes.Buffer
	b.WriteString(`{"model":"m","stream":true,"messages":[{"role":"user","content":"begin"}`)
	for i := range n {
		for j := range 14 {
			fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"text","text":"Step %d of %d\n"}]}`, j, i)
		}
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"/%d.png"}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]}]}`, i, data)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// textBody is a history of about size bytes: source code and prose, with the
// escapes and the characters beyond ASCII that these have.
func textBody(size int) []byte {
	code := Quote(strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"reading %q: %w\", name, err)\n\t}\n", 30))
	prose := Quote(strings.Repeat("The reader – a “small” one – stops at the first byte that it does not know, and says where.\n", 10))
	return []byte(`{"messages":["begin"` + strings.Repeat(","+code+","+prose, size/(len(code)+len(prose))) + `]}`)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
