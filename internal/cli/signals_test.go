//go:build unix

package cli

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"imagebreaker/internal/fakeapi"
)

// draining is a proxy that was asked to end in the middle of an answer.
type draining struct {
	*program
	events string
	body   *bufio.Reader // what the client is being sent
	rest   chan struct{} // to be closed for the upstream to say the rest
}

const (
	firstPiece  = "data: {\"choices\":[{\"delta\":{\"content\":\"first\"}}]}\n\n"
	secondPiece = "data: [DONE]\n\n"
)

// startDraining opens a stream through the proxy, sends the signal when the
// stream's beginning has arrived, and returns when the proxy takes no more
// connections.
func startDraining(t *testing.T, s os.Signal) draining {
	t.Helper()
	d := draining{events: filepath.Join(t.TempDir(), "events.jsonl"), rest: make(chan struct{})}
	api, err := fakeapi.Start(fakeapi.Always(fakeapi.Answer{
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Pieces: []string{firstPiece, secondPiece}, Hold: d.rest,
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	env := []string{quickExit, "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	d.program, err = startProgram(t.TempDir(), env, "--listen", "127.0.0.1:0", "--upstream", api.URL, "--events", d.events, "--state", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.kill)
	d.body = openStream(t, d.url)
	if err := d.signal(s); err != nil {
		t.Fatal(err)
	}
	awaitRefusal(t, strings.TrimPrefix(d.url, "http://"))
	return d
}

// openStream returns when the first piece of the answer has arrived.
func openStream(t *testing.T, url string) *bufio.Reader {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	resp, err := client.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","stream":true,"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	body := bufio.NewReader(resp.Body)
	got := make([]byte, len(firstPiece))
	if _, err := io.ReadFull(body, got); err != nil || string(got) != firstPiece {
		t.Fatalf("the stream begins with %q, %v", got, err)
	}
	return body
}

// awaitRefusal waits until nobody listens at the address any more.
func awaitRefusal(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		c.Close()
	}
	t.Fatal("still takes connections")
}

func TestSignalDrains(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]os.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := startDraining(t, s)
			select {
			case <-d.ended:
				t.Fatal("ended with an answer still open")
			default:
			}
			close(d.rest)
			if rest, err := io.ReadAll(d.body); err != nil || string(rest) != secondPiece {
				t.Errorf("the stream ends with %q, %v; want %q", rest, err, secondPiece)
			}
			if code, err := d.wait(); code != exitOK || err != nil {
				t.Errorf("exit %d, %v", code, err)
			}
			if d.stdout.Len() > 0 || d.stderr.Len() > 0 {
				t.Errorf("after the ready line: stdout %q, stderr %q", d.stdout.String(), d.stderr.String())
			}
			log, err := os.ReadFile(d.events)
			if err != nil || !strings.Contains(string(log), `"event":"stopped"`) {
				t.Errorf("the log ends without the stop: %q, %v", log, err)
			}
		})
	}
}

// A page that is open listens for ever: it must not take up the time that
// requests have to end, after which the proxy would complain.
func TestOpenPageDoesNotKeepFromEnding(t *testing.T) {
	t.Parallel()
	env := []string{quickExit, "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	p, err := startProgram(t.TempDir(), env, "--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:9", "--events", filepath.Join(t.TempDir(), "events.jsonl"), "--state", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	resp, err := client.Get(p.url + "/-/live")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if err := p.signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, err := p.wait(); code != exitOK || err != nil || p.stderr.Len() > 0 {
		t.Errorf("exit %d, %v, %q", code, err, p.stderr.String())
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Errorf("the page's stream ends with %v", err)
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	d := startDraining(t, syscall.SIGTERM)
	if err := d.signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := d.wait(); err != nil {
		t.Fatal(err)
	}
	how := d.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !how.Signaled() || how.Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v, want by SIGTERM", d.cmd.ProcessState)
	}
	if rest, err := io.ReadAll(d.body); err == nil {
		t.Errorf("the stream that was cut off ends well, with %q", rest)
	} else if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the stream ends with %v", err)
	}
}
