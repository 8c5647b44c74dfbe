package browser_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"imagebreaker/internal/fakeapi"
)

// rig is the program in front of a scripted upstream.
type rig struct {
	*testing.T
	api *fakeapi.Server
	cmd *exec.Cmd
	url string
}

var readyLine = regexp.MustCompile(`^imagebreaker: listening on (http://\S+) `)

// start runs the program in front of an API that refuses these images.
func start(t *testing.T, refused ...string) *rig {
	t.Helper()
	for i, data := range refused {
		refused[i] = base64.StdEncoding.EncodeToString([]byte(data))
	}
	api, err := fakeapi.Start(fakeapi.Refusing(refused...))
	must(t, err)
	r := &rig{T: t, api: api}
	r.cmd = exec.Command(shared.program, "--listen", "127.0.0.1:0", "--upstream", api.URL, "--events", filepath.Join(t.TempDir(), "events.jsonl"), "--state", "")
	r.cmd.Stderr = os.Stderr
	r.cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	out, err := r.cmd.StdoutPipe()
	must(t, err)
	must(t, r.cmd.Start())
	t.Cleanup(func() {
		r.cmd.Process.Kill()
		r.cmd.Wait()
		api.Close()
	})
	line, _ := bufio.NewReader(out).ReadString('\n')
	m := readyLine.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("not ready: %q", line)
	}
	r.url = m[1]
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// send posts a turn with an image, under a name that no page may show.
func (r *rig) send(session string, data string) int {
	r.Helper()
	body := fmt.Sprintf(`{"model":"claude-sonnet-4-5","stream":false,"messages":[{"role":"user","content":[{"type":"text","text":"SECRET look at secret.png"},`+
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":%q}}]}]}`, base64.StdEncoding.EncodeToString([]byte(data)))
	req, err := http.NewRequest(http.MethodPost, r.url+"/v1/messages", strings.NewReader(body))
	must(r.T, err)
	req.Header.Set("Content-Type", "application/json")
	if session != "" {
		req.Header.Set("X-Session-Id", session)
	}
	resp, err := http.DefaultClient.Do(req)
	must(r.T, err)
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	must(r.T, err)
	return resp.StatusCode
}

func (r *rig) uploads() int { return len(r.api.Requests()) }

// stop terminates the program and waits for it.
func (r *rig) stop() error {
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return r.cmd.Wait()
}
