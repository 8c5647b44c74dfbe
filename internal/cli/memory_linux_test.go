package cli

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// BenchmarkPeakMemory reports the most memory that the running program had at a
// time, in MiB, when requests of a size were sent side by side again and again.
func BenchmarkPeakMemory(b *testing.B) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		if r.ContentLength == int64(len(oneImage(1000))) { // a small one is bad, to be remembered
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}`)
			return
		}
		io.WriteString(w, `{"type":"message","content":[]}`)
	}))
	b.Cleanup(up.Close)
	for _, c := range []struct {
		name     string
		parallel int
		size     int // of the image, in bytes
		held     bool
		chunked  bool
	}{
		{name: "1x2KB", parallel: 1, size: 1500},
		{name: "1x10MB", parallel: 1, size: 7500 << 10},
		{name: "1x10MB-while-something-is-held", parallel: 1, size: 7500 << 10, held: true},
		{name: "1x10MB-chunked", parallel: 1, size: 7500 << 10, chunked: true},
		{name: "1x60MB", parallel: 1, size: 44 << 20},
		{name: "1x400MB", parallel: 1, size: 300 << 20},
		{name: "1x400MB-chunked", parallel: 1, size: 300 << 20, chunked: true},
		{name: "50x10MB", parallel: 50, size: 7500 << 10},
		{name: "50x10MB-while-something-is-held", parallel: 50, size: 7500 << 10, held: true},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := startProgram(b.TempDir(), nil, "--listen", "127.0.0.1:0", "--upstream", up.URL, "--events", filepath.Join(b.TempDir(), "events.jsonl"), "--state", "")
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(p.kill)
			if c.held {
				p.post(b, oneImage(1000), false)
			}
			body := oneImage(c.size)
			for b.Loop() {
				var all sync.WaitGroup
				for range c.parallel {
					all.Go(func() { p.post(b, body, c.chunked) })
				}
				all.Wait()
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(p.peak(b))/1024, "MiB")
			b.ReportMetric(float64(len(body)*c.parallel)/(1<<20), "MiB-of-bodies")
		})
	}
}

// oneImage is a message with an image of so many bytes.
func oneImage(size int) []byte {
	image := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("noise"), size/5))
	return []byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + image + `"}}]}]}`)
}

func (p *program) post(b *testing.B, body []byte, chunked bool) {
	var r io.Reader = bytes.NewReader(body)
	if chunked {
		r = io.MultiReader(r) // of unknown length
	}
	resp, err := http.Post(p.url+"/v1/messages", "application/json", r)
	if err != nil {
		b.Error(err)
		return
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// peak is the most memory that the program has had, in KiB.
func (p *program) peak(b *testing.B) (kib int) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		b.Skip(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			fmt.Sscan(rest, &kib)
		}
	}
	return kib
}
