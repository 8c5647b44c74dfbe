//go:build unix

package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"imagebreaker/internal/fakeapi"
)

// badTurn has an image that no other has.
func badTurn(n int) string {
	data := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "no image %d", n))
	return `{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}]}]}`
}

// badTurns sends such turns, each in a session of its own, until the proxy is gone.
func badTurns(client *http.Client, url string, from int) {
	for n := from; ; n++ {
		req, err := http.NewRequest(http.MethodPost, url+"/v1/messages", strings.NewReader(badTurn(n)))
		if err != nil {
			return
		}
		req.Header.Set("X-Session-Id", fmt.Sprint("ses_", n))
		resp, err := client.Do(req)
		if err != nil {
			return
		}
		resp.Body.Close()
	}
}

// wholeLines wants a log of nothing but whole lines, and returns them.
func wholeLines(t *testing.T, path string) [][]byte {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(log, []byte("}\n")) {
		t.Errorf("the log ends with %q", log[max(0, len(log)-100):])
	}
	lines := bytes.Split(bytes.TrimSuffix(log, []byte("\n")), []byte("\n"))
	for _, l := range lines {
		if !json.Valid(l) {
			t.Errorf("a line %q", l)
		}
	}
	return lines
}

// Killed in the middle of its work, the proxy leaves files that the next one
// goes on with.
func TestKilled(t *testing.T) {
	t.Parallel()
	busy := make(chan struct{})
	api, err := fakeapi.Start(func(q fakeapi.Request) fakeapi.Answer {
		if q.N == 200 {
			close(busy)
		}
		if bytes.Contains(q.Body, []byte(`"type":"image"`)) {
			return fakeapi.BadImage(fakeapi.Anthropic)
		}
		return fakeapi.Success(fakeapi.Anthropic, false, "fine")
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	dir := t.TempDir()
	events, state := filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "repairs.json")
	begin := func() *program {
		env := []string{quickExit, "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"), "PATH=" + os.Getenv("PATH")}
		p, err := startProgram(dir, env, "--listen", "127.0.0.1:0", "--upstream", api.URL, "--events", events, "--state", state, "--reply", "repair")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		return p
	}
	p := begin()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() { badTurns(client, p.url, i*1_000_000) })
	}
	<-busy
	p.kill()
	clients.Wait()
	before := len(wholeLines(t, events))
	if before < 2 { // the log is written beside the answers
		t.Errorf("%d lines after 200 requests", before)
	}
	p = begin()
	if code, err := p.stop(); code != exitOK || err != nil || p.stderr.Len() > 0 {
		t.Errorf("the next one: exit %d, %v, stderr %q", code, err, p.stderr.String())
	}
	after := wholeLines(t, events)
	if len(after) != before+2 || !bytes.Contains(after[before], []byte(`"event":"started"`)) || !bytes.Contains(after[before+1], []byte(`"event":"stopped"`)) {
		t.Errorf("%d lines, then %d: %s", before, len(after), bytes.Join(after[min(before, len(after)):], []byte("\n")))
	}
}
