package proxy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"imagebreaker/eventlog"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
)

// repeated joins n pieces with commas.
func repeated(n int, piece func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(piece(i))
	}
	return b.String()
}

// tinyImage is the smallest part that is an image of its own, and no picture.
func tinyImage(i int) string {
	return `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%09d", i)) + `"}}`
}

func inContent(parts string) string {
	return `{"model":"m","messages":[{"role":"user","content":[` + parts + `]}]}`
}

// inLog opens an event log, and returns what reads it when it is closed.
func inLog(t *testing.T, set func(*proxy.Config)) (func(*proxy.Config), func() []eventlog.Event) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	log, err := eventlog.Open(eventlog.Config{Path: path, Warn: func(s string) { t.Error(s) }})
	must(t, err)
	t.Cleanup(func() { log.Close() })
	return func(c *proxy.Config) {
			c.Log = log
			if set != nil {
				set(c)
			}
		}, func() []eventlog.Event {
			log.Close()
			return readEvents(t, path)
		}
}

// allocated is how many bytes f takes from the heap in all, given back or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// hostileBody is a body that is made to cost as much as it can.
type hostileBody struct{ name, path, body string }

// hostileBodies have about n values each. Images are as many as are inspected.
func hostileBodies(n int) []hostileBody {
	images := min(n/10, 16_000)
	digits := func(i int) string { return fmt.Sprintf(`"%012d"`, i) }
	zero := func(int) string { return "0" }
	return []hostileBody{
		{"nested arrays", "/v1/messages", `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`},
		{"nested contents", "/v1/messages", inContent(strings.Repeat(`{"type":"x","content":[`, 4000) + strings.Repeat("]}", 4000))},
		{"keys", "/v1/messages", `{` + repeated(n, func(i int) string { return fmt.Sprintf(`"k%d":0`, i) }) + `}`},
		{"values", "/v1/messages", inContent(repeated(n, zero))},
		{"a long number", "/v1/messages", `{"a":` + strings.Repeat("1", 10*n) + `}`},
		{"escapes", "/v1/messages", inContent(`{"type":"text","text":"` + strings.Repeat(`\u0041`, n) + `"}`)},
		{"messages", "/v1/messages", `{"messages":[` + repeated(n/4, func(int) string { return `{"role":"user","content":"a"}` }) + `,{"role":"user","content":[` + tinyImage(0) + `]}]}`},
		{"too many images", "/v1/messages", inContent(repeated(n/10, tinyImage))},
		{"images", "/v1/messages", inContent(repeated(images, tinyImage))},
		{"one image often", "/v1/messages", inContent(repeated(images, func(int) string { return tinyImage(0) }))},
		{"images and a long model", "/v1/messages", strings.Replace(inContent(repeated(images, tinyImage)), `"m"`, `"`+strings.Repeat("m", 5*n)+`"`, 1)},
		{"images and a long type", "/v1/messages", inContent(`{"type":"` + strings.Repeat("t", n) + `","content":[` + repeated(images, tinyImage) + `]}`)},
		{"images in a list", "/api/chat", `{"model":"m","messages":[{"role":"user","content":"x","images":[` + repeated(images, digits) + `]}]}`},
		{"empty images", "/generate", `{"text":"m","image_data":[` + repeated(n, func(int) string { return `""` }) + `]}`},
		{"keys of a tool's input", "/v1/messages", inContent(`{"type":"tool_use","id":"a","name":"n","input":{` + repeated(n, func(int) string { return `"a":0` }) + `}},` + tinyImage(0))},
	}
}

// complaining is an upstream that complains of each image, and of their number.
func complaining(q fakeapi.Request) fakeapi.Answer {
	switch {
	case strings.HasPrefix(q.URI, "/api/"):
		return fakeapi.JSON(500, `{"error":"Failed to create new sequence: failed to process inputs: image: unknown format"}`)
	case q.N%2 == 0:
		return fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"too many images: at most 100 images are allowed"}}`)
	}
	return fakeapi.BadImage(fakeapi.Of(q.URI))
}

// Bodies that are made to cost as much as they can cost more in proportion to their
// size, at the most. None of it is a fault, and all of it arrives, or is answered.
func TestHostileBodies(t *testing.T) { // not parallel: it measures the process
	if raced {
		t.Skip("much work for one goroutine: there is no race to find")
	}
	large := hostileBodies(160_000)
	for i, small := range hostileBodies(16_000) {
		for name, set := range map[string]func(*proxy.Config){
			"auto":   style(policy.Auto),
			"repair": func(c *proxy.Config) { c.Reply, c.Preflight = policy.Repair, true },
		} {
			name = small.name + ", " + name
			longer := float64(len(large[i].body)) / float64(len(small.body))
			costlier := float64(costOf(t, name, large[i], set)) / float64(costOf(t, name, small, set))
			t.Logf("%s: a body %.1f times as long costs %.1f times as much", name, longer, costlier)
			// A slice that grows takes up to twice what it needs, and leaves as much
			// behind. The square of anything is far beyond.
			if costlier > 4*longer {
				t.Errorf("%s: a body %.1f times as long costs %.1f times as much", name, longer, costlier)
			}
		}
	}
}

// costOf is what a proxy takes from the heap for a body, and for the same in a later
// turn.
func costOf(t *testing.T, name string, b hostileBody, set func(*proxy.Config)) (cost uint64) {
	t.Helper()
	set, events := inLog(t, set)
	up := &counting{to: complaining}
	p := inMemory(up, set)
	for _, body := range []string{b.body, strings.Replace(b.body, `"content":[`, `"content":[{"type":"text","text":"later"},`, 1)} {
		cost += allocated(func() { call(p, "POST", b.path, body, "X-Session-Id", "ses_1") })
	}
	answered := false
	for _, e := range events() {
		answered = answered || e.Event == "short_circuited" // it failed preflight
		if e.Event == "internal_error" {
			t.Errorf("%s: %s", name, e.Detail)
		}
	}
	if up.n.Load() == 0 && !answered {
		t.Errorf("%s: nothing arrived", name)
	}
	return cost
}

// BenchmarkImages shows what an image costs in a request with n of them, most of
// all that it is the same for any n.
func BenchmarkImages(b *testing.B) {
	for _, n := range []int{1000, 4000, 16000} {
		for _, set := range []func(*proxy.Config){style(policy.Auto), style(policy.Repair)} {
			p := inMemory(&counting{to: complaining}, set)
			b.Run(fmt.Sprintf("%s/%d", p.Reply, n), func(b *testing.B) {
				body := inContent(repeated(n, tinyImage))
				for b.Loop() {
					call(p, "POST", "/v1/messages", body, "X-Session-Id", "ses_1")
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/image")
			})
		}
	}
}

// A small body that inflates to a large one costs the limit and no more, whatever it
// is compressed with: as much as one that inflates to a tenth.
func TestInflatingBodies(t *testing.T) { // not parallel: it measures the process
	if raced {
		t.Skip("much work for one goroutine: there is no race to find")
	}
	const limit = 1 << 20
	for _, encoding := range []string{"gzip", "zstd", "br", "deflate"} {
		cost := func(inflated int) uint64 {
			packed := string(compress(t, encoding, []byte(`{"model":"`+strings.Repeat("x", inflated)+`"}`)))
			set, events := inLog(t, func(c *proxy.Config) { c.BodyLimit = limit })
			p := inMemory(scripted(fakeapi.Always(fakeapi.JSON(200, `{}`))), set)
			took := allocated(func() { call(p, "POST", "/v1/messages", packed, "Content-Encoding", encoding) })
			if es := events(); len(es) != 1 || es[0].Reason != "body_too_large" {
				t.Errorf("%s: %+v", encoding, es)
			}
			return took
		}
		one, ten := cost(10*limit), cost(100*limit)
		t.Logf("%s: %.1f and %.1f MB taken", encoding, float64(one)/1e6, float64(ten)/1e6)
		if ten > 3*one {
			t.Errorf("%s: %.1f MB are taken for ten times the limit, %.1f MB for a hundred times", encoding, float64(one)/1e6, float64(ten)/1e6)
		}
	}
}

// What is remembered of a request is small, however long the names in it are, and
// keeps none of the request alive.
func TestLongNamesAreNotKept(t *testing.T) { // not parallel: it measures the process
	long := strings.Repeat("n", 1<<16)
	log, err := eventlog.Open(eventlog.Config{Path: os.DevNull})
	must(t, err)
	defer log.Close()
	p := inMemory(&counting{to: complaining}, func(c *proxy.Config) { c.Log, c.Preflight, c.Reply = log, true, policy.Repair })
	requests := 0
	held := func(upTo int) int64 {
		for ; requests < upTo; requests++ {
			name := fmt.Sprintf("%s%d", long, requests)
			call(p, "POST", "/v1/messages", `{"model":"`+name+`","prompt_cache_key":"`+name+`","messages":[{"role":"user","content":[`+tinyImage(requests)+`,{"type":"text","text":"`+name+`"}]}]}`)
			call(p, "POST", "/v1beta/models/"+name+":generateContent", `{"contents":[{"role":"`+name+`","parts":[{"inlineData":{"mimeType":"`+name+`","data":"AAAA"}}]}]}`, "X-Session-Id", name)
		}
		runtime.GC()
		runtime.GC() // what the first one found only to be finalized
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	const n = 10
	few := held(n)
	many := held(10 * n)
	if entries := len(p.Snapshot()); entries < 10*n {
		t.Errorf("%d entries: the test has not seen what it is for", entries)
	}
	// Each request has ten long names in it, or more.
	const more = 9 * n
	if grown := many - few; grown > more*int64(len(long))/2 {
		t.Errorf("%d more requests are remembered in %d bytes, with names of %d", more, grown, len(long))
	} else {
		t.Logf("%d bytes for each of %d requests, with names of %d", grown/more, more, len(long))
	}
	runtime.KeepAlive(p)
}

// What is between two encodings is bounded as well: blocks without content never
// show in what comes out.
func TestEmptyBlocksBetweenEncodings(t *testing.T) {
	t.Parallel()
	for blocks, unseen := range map[int]bool{1000: false, 8 << 20: true} {
		const head = 10
		inner := packed(t, `{"model":"m"}`)
		stored := bytes.Repeat([]byte("\x00\x00\x00\xff\xff"), blocks) // empty, and not the last
		inner = append(append(bytes.Clone(inner[:head]), stored...), inner[head:]...)
		body := string(compress(t, "zstd", inner))
		set, events := inLog(t, nil)
		p := inMemory(scripted(fakeapi.Always(fakeapi.JSON(400, `{}`))), set)
		call(p, "POST", "/v1/messages", body, "Content-Encoding", "gzip, zstd")
		es := events()
		if got := len(es) == 1 && es[0].Event == "forwarded_unseen" && es[0].Reason == "bad_encoding"; got != unseen || len(es) != 1 {
			t.Errorf("%d blocks in %d bytes: %+v", blocks, len(body), es)
		}
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	must(t, err)
	must(t, w.Close())
	return b.Bytes()
}
