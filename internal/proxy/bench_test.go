package proxy_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"imagebreaker/internal/proxy"
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
	ups, err := proxy.ParseUpstreams(up.URL)
	if err != nil {
		b.Fatal(err)
	}
	ourTransport := proxy.NewTransport()
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

// compare times one request on both in turn.
func (p pair) compare(b *testing.B, body []byte, until func(*http.Response)) {
	once := func(base string) time.Duration {
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
	once(p.floor)
	once(p.ours)
	var floor, ours []time.Duration
	for b.Loop() {
		floor = append(floor, once(p.floor))
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

func BenchmarkAgainstReverseProxy(b *testing.B) {
	ok := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"type":"message","content":[]}`)
	}
	for _, c := range []struct {
		name         string
		images, size int
	}{{"2KB", 0, 0}, {"10MB-one-image", 1, 7500 << 10}, {"40-images-60KB", 40, 60 << 10}} {
		b.Run(c.name, func(b *testing.B) {
			newPair(b, ok).compare(b, noiseBody(c.images, c.size), whole)
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
		p.compare(b, noiseBody(0, 0), func(resp *http.Response) { resp.Body.Read(make([]byte, 1)) })
	})
}
