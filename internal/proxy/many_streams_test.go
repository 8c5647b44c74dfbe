package proxy_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"imagebreaker/internal/fakeapi"
)

// fewer is n, or a tenth of it where tests are to be short.
func fewer(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// streaming is an upstream that sends pieces, each at once, and reads what is
// left of the request only then: this widens the gap in which a server that
// has begun to answer discards a request that is still being read.
func streaming(pieces func(r *http.Request) []string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		rc.EnableFullDuplex()
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces(r) {
			io.WriteString(w, p)
			rc.Flush()
		}
		io.Copy(io.Discard, r.Body)
	}
}

// Without full duplex a few percent of such answers are cut.
func TestFastStreamsAreWhole(t *testing.T) {
	t.Parallel()
	pieces := fakeapi.Success(fakeapi.Anthropic, true, "quick").Pieces
	whole := strings.Join(pieces, "")
	body := ask(fakeapi.Anthropic, true).then(strings.Repeat("z", 1800)).body()
	for path, n := range map[string]int{"/v1/messages": fewer(5000), "/v1/other": fewer(2000)} {
		addr := behind(t, streaming(func(*http.Request) []string { return pieces }), nil)
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
		var clients sync.WaitGroup
		var left, bad atomic.Int32
		left.Store(int32(n))
		for range 32 {
			clients.Go(func() {
				for left.Add(-1) >= 0 {
					if got, err := streamOf(client, "http://"+addr+path, body); err != nil || got != whole {
						bad.Add(1)
					}
				}
			})
		}
		clients.Wait()
		client.CloseIdleConnections()
		if b := bad.Load(); b > 0 {
			t.Errorf("%s: %d of %d are not whole", path, b, n)
		}
	}
}

func streamOf(client *http.Client, url, body string) (string, error) {
	resp, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// longStream are n events, cut into pieces without regard to their bounds.
func longStream(name string, n int) (whole string, pieces []string) {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "data: {\"of\":%q,\"n\":%d}\n\n", name, i)
	}
	whole = all.String()
	for rest := whole; rest != ""; {
		size := min(len(rest), 997)
		pieces, rest = append(pieces, rest[:size]), rest[size:]
	}
	return whole, pieces
}

// Streams that are open at the same time keep apart, and each keeps its order.
func TestManyStreamsAtOnce(t *testing.T) {
	t.Parallel()
	const streams = 200
	events := fewer(1000)
	var open sync.WaitGroup
	open.Add(streams)
	addr := behind(t, streaming(func(r *http.Request) []string {
		open.Done()
		open.Wait() // for all the others
		_, pieces := longStream(r.Header.Get("X-Session-Id"), events)
		return pieces
	}), nil)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	body := ask(fakeapi.Chat, true, good()).body()
	var clients sync.WaitGroup
	for i := range streams {
		clients.Go(func() {
			name := fmt.Sprintf("ses_%d", i)
			req, err := http.NewRequest(http.MethodPost, "http://"+addr+"/v1/chat/completions", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("X-Session-Id", name)
			resp, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			got, err := io.ReadAll(resp.Body)
			if want, _ := longStream(name, events); string(got) != want || err != nil {
				t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(want), err)
			}
		})
	}
	clients.Wait()
}

// A client that does not read delays nobody else.
func TestStalledClientDelaysNoOther(t *testing.T) {
	t.Parallel()
	a := fakeapi.Success(fakeapi.Anthropic, true, "on time")
	r := start(t, fakeapi.Always(a), nil)
	dial := piped(t, r.proxy)
	c := ask(fakeapi.Anthropic, true, good())
	var stalled []pipe
	for range 8 {
		p := dial()
		p.say(plainPost(c.path(), c.body(), "X-Session-Id: ses_1"))
		// A pipe buffers nothing: whoever writes to it is stuck after this byte.
		b := make([]byte, 1)
		_, err := io.ReadFull(p.Conn, b)
		must(t, err)
		p.in = bufio.NewReader(io.MultiReader(bytes.NewReader(b), p.Conn))
		stalled = append(stalled, p)
	}
	for range 8 {
		r.passed(c, session(1)...).untouched(t, a)
	}
	for _, p := range stalled {
		if got := p.answer(t); got.status != 200 || got.body != strings.Join(a.Pieces, "") {
			t.Errorf("in the end: %d %q", got.status, got.body)
		}
	}
}
