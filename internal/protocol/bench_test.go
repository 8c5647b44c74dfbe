package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"imagebreaker/internal/jsontree"
)

// BenchmarkScan holds scan and sums of a body against the bare SHA-256 of its
// images' bytes, or of the body itself where it has next to none. Both are timed
// in turn, so that a machine that speeds up or slows down does so for both. It
// reports the medians and their ratio.
func BenchmarkScan(b *testing.B) {
	for _, c := range []struct {
		name         string
		images, size int
	}{
		{"10MB-one-image", 1, 7500 << 10},
		{"100-images-300KB", 100, 300 << 10},
		{"40-images-60KB", 40, 60 << 10},
	} {
		b.Run(c.name, func(b *testing.B) {
			compareScan(b, noiseBody(c.images, c.size), noise(c.images*c.size))
		})
	}
	for _, c := range []struct {
		name string
		body []byte
	}{
		{"2KB", noiseBody(0, 0)},
		{"1MB-of-text", textBody(1 << 20)},
		{"2000-messages-200-tools", agentBody(2000, 200)},
		{"50KB-of-captures", captureBody(b, 50<<10)},
		{"1MB-of-captures", captureBody(b, 1<<20)},
	} {
		b.Run(c.name, func(b *testing.B) { compareScan(b, c.body, c.body) })
	}
}

func compareScan(b *testing.B, body, floor []byte) {
	api, call, _ := All().Match(http.MethodPost, &url.URL{Path: "/v1/messages"}, nil)
	var bare, ours []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		sha256.Sum256(floor)
		middle := time.Now()
		_, err := Scan(api, call, http.Header{}, body, nil)
		ours = append(ours, time.Since(middle))
		bare = append(bare, middle.Sub(start))
		if err != nil {
			b.Fatal(err)
		}
	}
	o, f := median(ours), median(bare)
	b.ReportMetric(0, "ns/op") // the pair's sum says nothing
	b.ReportMetric(float64(f.Nanoseconds())/1000, "sha256-us")
	b.ReportMetric(float64(o.Nanoseconds())/1000, "scan-us")
	b.ReportMetric(float64(o)/float64(f), "x-sha256")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// noiseBody is a conversation with n images of size bytes each.
func noiseBody(n, size int) []byte {
	images := noise(n * size)
	var b bytes.Buffer
	b.WriteString(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"` + strings.Repeat("lorem ipsum ", 150) + `"}`)
	for data := range slices.Chunk(images, max(size, 1)) {
		b.WriteString(`,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + base64.StdEncoding.EncodeToString(data) + `"}}`)
	}
	b.WriteString(`]}],"stream":false}`)
	return b.Bytes()
}

// noise is n bytes that are random but the same in every run.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// textBody is a history of about size bytes: source code and prose, with the
// escapes and the characters beyond ASCII that these have.
func textBody(size int) []byte {
	code := jsontree.Quote(strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"reading %q: %w\", name, err)\n\t}\n", 30))
	prose := jsontree.Quote(strings.Repeat("The reader – a “small” one – stops at the first byte that it does not know, and says where.\n", 10))
	var b bytes.Buffer
	b.WriteString(`{"model":"m","stream":true,"messages":[{"role":"user","content":"begin"}`)
	for b.Len() < size {
		b.WriteString(`,{"role":"assistant","content":[{"type":"text","text":` + code + `}]},{"role":"user","content":` + prose + `}`)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// agentBody is what an agent sends after many turns: each of its messages is a
// tool's call or result, and each of its tools has a schema.
func agentBody(messages, tools int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":"m","stream":true,"max_tokens":32000,"system":[{"type":"text","text":"be brief"}],"tools":[`)
	for i := range tools {
		fmt.Fprintf(&b, `{"name":"tool_%d","description":"What it does, at some length.","input_schema":{"type":"object","properties":{"file_path":{"type":"string","description":"where"},"limit":{"type":"number"}},"required":["file_path"],"additionalProperties":false}},`, i)
	}
	b.WriteString(`{"name":"last"}],"messages":[{"role":"user","content":[{"type":"text","text":"begin"}]}`)
	for i := range messages / 2 {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"text","text":"Next."},{"type":"tool_use","id":"toolu_%020d","name":"Read","input":{"file_path":"/home/user/project/%d.go","limit":100}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%020d","content":[{"type":"text","text":%s}]}]}`, i, jsontree.Quote(strings.Repeat("\tx++ // \"more\"\n", 20)))
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// captureBody is a captured request of Claude Code with its messages, one image
// in them, repeated until it is of about the size.
func captureBody(b *testing.B, size int) []byte {
	body, err := os.ReadFile("../../testdata/captures/claude-code-2.1.332-tool_result-image.json")
	if err != nil {
		b.Fatal(err)
	}
	start, end := parse(b, string(body)).Get("messages").Span()
	again := append([]byte(","), body[start+1:end-1]...)
	again = bytes.Repeat(again, (size-len(body))/len(again))
	return slices.Concat(body[:end-1], again, body[end-1:])
}
