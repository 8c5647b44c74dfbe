package proxy_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/relay"
	"imagebreaker/internal/upstream"
)

// The benchmarks compare the proxy with httputil.ReverseProxy side by side in
// one run: request by request in turn, so that a machine that speeds up or
// slows down does so for both. They report the medians and their ratio.

// noiseBody is a conversation with n images of size bytes each.
func noiseBody(n, size int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), uint64(size)))
	var b bytes.Buffer
	b.WriteString(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"` + strings.Repeat("lorem ipsum ", 150) + `"}`)
	data := make([]byte, size)
	for range n {
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		b.WriteString(`,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + base64.StdEncoding.EncodeToString(data) + `"}}`)
	}
	b.WriteString(`]}],"stream":false}`)
	return b.Bytes()
}

// pair is a proxy and the floor that it is held against, before one upstream.
type pair struct {
	floor, ours string
	client      *http.Client
}

func newPair(b *testing.B, h http.HandlerFunc) pair {
	up := httptest.NewServer(h)
	base, _ := url.Parse(up.URL)
	floorTransport := http.DefaultTransport.(*http.Transport).Clone()
	floorTransport.DisableCompression, floorTransport.MaxIdleConnsPerHost = true, 256
	floor := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(base) }, Transport: floorTransport, FlushInterval: -1}
	floorServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		floor.ServeHTTP(w, r)
	}))
	ups, err := upstream.Parse(up.URL)
	if err != nil {
		b.Fatal(err)
	}
	ourTransport := relay.NewTransport()
	ours := httptest.NewServer(proxy.New(proxy.Config{Upstreams: ups, Transport: ourTransport}))
	client := &http.Transport{MaxIdleConnsPerHost: 8}
	b.Cleanup(func() {
		client.CloseIdleConnections()
		floorServer.Close()
		ours.Close()
		floorTransport.CloseIdleConnections()
		ourTransport.CloseIdleConnections()
		up.Close()
	})
	return pair{floorServer.URL, ours.URL, &http.Client{Transport: client}}
}

// post times a request until something of the answer.
func (p pair) post(b *testing.B, base string, body []byte, until func(*http.Response)) time.Duration {
	start := time.Now()
	resp, err := p.client.Post(base+"/v1/messages", "application/json", bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	until(resp)
	took := time.Since(start)
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return took
}

// compare times one request on both in turn. least is what the floor takes at
// least, by another measure.
func (p pair) compare(b *testing.B, body []byte, least func() time.Duration, until func(*http.Response)) {
	once := func(base string) time.Duration { return p.post(b, base, body, until) }
	once(p.floor)
	once(p.ours)
	var floor, ours []time.Duration
	for b.Loop() {
		floor = append(floor, max(once(p.floor), least()))
		ours = append(ours, once(p.ours))
	}
	f, o := median(floor), median(ours)
	b.ReportMetric(0, "ns/op") // the pair's sum says nothing
	b.ReportMetric(float64(f.Microseconds()), "floor-us")
	b.ReportMetric(float64(o.Microseconds()), "ours-us")
	b.ReportMetric(float64(o)/float64(f), "ratio")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func whole(resp *http.Response) { io.Copy(io.Discard, resp.Body) }

func nothing() time.Duration { return 0 }

// ok answers when it has the whole request.
func ok(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"type":"message","content":[]}`)
}

// okButOne refuses one small body as a bad image, so that an entry is open.
func okButOne(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == int64(len(smallBad())) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		w.Write(fakeapi.BadImage(fakeapi.Anthropic).Body)
		return
	}
	ok(w, r)
}

func smallBad() []byte { return noiseBody(1, 1000) }

func BenchmarkAgainstReverseProxy(b *testing.B) {
	for _, c := range []struct {
		name         string
		images, size int
		upstream     http.HandlerFunc
	}{
		{"2KB", 0, 0, ok},
		{"10MB-one-image", 1, 7500 << 10, ok},
		{"40-images-60KB", 40, 60 << 10, ok},
		{"10MB-while-an-entry-is-open", 1, 7500 << 10, okButOne},
		{"40-images-60KB-while-an-entry-is-open", 40, 60 << 10, okButOne},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := newPair(b, c.upstream)
			p.post(b, p.ours, smallBad(), whole)
			p.compare(b, noiseBody(c.images, c.size), nothing, whole)
		})
	}
	b.Run("first-byte-of-a-stream", func(b *testing.B) {
		p := newPair(b, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: message_start\ndata: {\"type\":\"message_start\"}\n\n")
			http.NewResponseController(w).Flush()
			io.WriteString(w, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
		})
		p.compare(b, noiseBody(0, 0), nothing, func(resp *http.Response) { resp.Body.Read(make([]byte, 1)) })
	})
	b.Run("a-hundred-events-one-by-one", benchmarkEvents)
}

// benchmarkEvents has an upstream send each event when the client has had the
// one before, so that no two can travel together.
func benchmarkEvents(b *testing.B) {
	const event = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"word\"}}\n\n"
	had := make(chan struct{}, 1)
	p := newPair(b, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for range 100 {
			io.WriteString(w, event)
			http.NewResponseController(w).Flush()
			<-had
		}
	})
	p.compare(b, noiseBody(0, 0), nothing, func(resp *http.Response) {
		buf := make([]byte, len(event))
		for range 100 {
			if _, err := io.ReadFull(resp.Body, buf); err != nil {
				b.Error(err)
			}
			had <- struct{}{}
		}
	})
}

// BenchmarkShortCircuit compares the answer to a short-circuited request of 10 MB with a server
// that only reads it, or with the time for its image's sum where that is longer.
func BenchmarkShortCircuit(b *testing.B) {
	body := noiseBody(1, 7500<<10)
	var up atomic.Int32
	p := newPair(b, func(w http.ResponseWriter, r *http.Request) {
		up.Add(1)
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		w.Write(fakeapi.BadImage(fakeapi.Anthropic).Body)
	})
	reader := httptest.NewServer(http.HandlerFunc(ok))
	b.Cleanup(reader.Close)
	p.floor = reader.URL
	p.post(b, p.ours, body, func(resp *http.Response) {})
	image := make([]byte, 7500<<10)
	hash := func() time.Duration {
		start := time.Now()
		sha256.Sum256(image)
		return time.Since(start)
	}
	p.compare(b, body, hash, whole)
	if n := up.Load(); n != 1 {
		b.Errorf("%d requests went up", n)
	}
}

// BenchmarkManyShortCircuits has a thousand requests at a time rejected by a memory that is
// full with ten thousand failures. What it says of locks is in its profiles
// (-cpuprofile, -mutexprofile).
func BenchmarkManyShortCircuits(b *testing.B) {
	const entries = 10_000
	p := proxy.New(proxy.Config{
		Upstreams: upstream.Set{"anthropic": {Scheme: "http", Host: "upstream.test"}}, Capacity: entries,
		Transport: scripted(fakeapi.Always(fakeapi.BadImage(fakeapi.Anthropic))),
	})
	bodies := make([]string, entries)
	for i := range bodies {
		bodies[i] = `{"model":"m","messages":[{"role":"user","content":[` + tinyImage(i) + `]}]}`
		call(p, http.MethodPost, "/v1/messages", bodies[i], session(i)...)
	}
	if n := len(p.Snapshot()); n != entries {
		b.Fatalf("%d entries", n)
	}
	b.ResetTimer()
	var next atomic.Uint64
	b.SetParallelism(1000 / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := int(next.Add(1) % entries)
			if a := call(p, http.MethodPost, "/v1/messages", bodies[i], session(i)...); !strings.HasPrefix(a.header.Get("X-Imagebreaker"), "short-circuited") {
				b.Errorf("not short-circuited: %d", a.status)
			}
		}
	})
}
