//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"imagebreaker/internal/fakeapi"
)

// Canaries begin with this, but for the session and the model, which the log is
// to have.
const mark = "zqcanary"

// secrets are in the program's environment.
var secrets = []string{
	"OPENAI_API_KEY=" + mark + "openai", "ANTHROPIC_API_KEY=" + mark + "anthropic", "GEMINI_API_KEY=" + mark + "gemini",
	"AWS_SECRET_ACCESS_KEY=" + mark + "aws", "HTTPS_PROXY=http://" + mark + "user:" + mark + "password@127.0.0.1:1",
	"ANTHROPIC_CUSTOM_HEADERS=X-Key: " + mark + "header",
}

// talkative is an upstream that puts canaries into all that it says, and refuses
// every image.
func talkative(t *testing.T) *fakeapi.Server {
	t.Helper()
	api, err := fakeapi.Start(func(q fakeapi.Request) fakeapi.Answer {
		a := fakeapi.JSON(200, `{"type":"message","content":[{"type":"text","text":"`+mark+`answer"}]}`)
		switch {
		case bytes.Contains(q.Body, []byte(`"image"`)):
			a = fakeapi.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image `+mark+`words https://`+mark+`.test/?sig=`+mark+`"},"request_id":"`+mark+`"}`)
		case strings.Contains(q.URI, "dies"):
			a = fakeapi.Answer{Header: http.Header{}, Pieces: []string{mark + "piece"}, Die: true}
		}
		a.Header.Set("Set-Cookie", mark+"setcookie")
		a.Header.Set("Request-Id", "for "+mark)
		return a
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	return api
}

// provoke sends requests of all kinds to a proxy, whole and damaged ones.
func provoke(t *testing.T, url string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	image := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + mark + `payload"}}`
	body := func(rest string) string {
		return `{"model":"the-model","system":"` + mark + `system","messages":[{"role":"user","content":[{"type":"text","text":"` + mark + `prompt"},` + image + `]}` + rest + `]}`
	}
	for _, c := range []struct{ path, body string }{
		{"/v1/messages", body("")},
		{"/v1/messages", body("")},
		{"/v1/messages", body(`,{"role":"assistant","content":"` + mark + `"},{"role":"user","content":"go on"}`)},
		{"/v1/messages", "no JSON " + mark},
		{"/v1/messages?dies", `{"messages":[]}`},
		{"/other/dies", mark},
	} {
		r, err := http.NewRequest(http.MethodPost, url+"/"+mark+"prefix"+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Authorization", "X-Api-Key", "Cookie", "Proxy-Authorization", "X-Custom", "User-Agent"} {
			r.Header.Set(name, mark+name)
		}
		r.Header.Set("X-Session-Id", "the-session")
		resp, err := client.Do(r)
		if err != nil {
			continue // the upstream died before it said anything
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	for _, request := range []string{
		mark + "\r\n\r\n",
		"POST /v1/messages HTTP/1.1\r\nHost: x\r\n" + mark + "\r\n\r\n",
		"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: " + mark + "\r\n\r\n",
		"POST /v1/messages?" + mark + ";a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nX-Key: " + mark + "\r\n\r\n{" + mark,
		"\x16\x03\x01\x02\x00\x01" + mark,
		"POST /v1/messages HTTP/1.1\r\nHost: x\r\nExpect: " + mark + "\r\nTransfer-Encoding: " + mark + "\r\n\r\n",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, request)
		c.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, c)
		c.Close()
	}
}

// wantClean wants no canary in any file below a folder, and the session in one.
func wantClean(t *testing.T, dir string, files ...string) {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found[d.Name()] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range found {
		if i := strings.Index(text, mark); i >= 0 {
			t.Errorf("%s holds %s", name, text[i:min(len(text), i+100)])
		}
	}
	for _, name := range files {
		if _, ok := found[name]; !ok {
			t.Errorf("no %s was written", name)
		}
	}
	if log := found["events.jsonl"]; !strings.Contains(log, "the-session") || !strings.Contains(log, "repaired") {
		t.Errorf("the log has not seen the session: %s", log)
	}
	if strings.Contains(found["repairs.json"], "the-session") {
		t.Errorf("the state tells the session: %s", found["repairs.json"])
	}
}

// Nothing that a client, an upstream or the environment tells the program gets
// into what it prints and writes.
func TestProgramTellsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := append([]string{quickExit, "PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + dir}, secrets...)
	p, err := startProgram(dir, env, "--listen", "127.0.0.1:0", "--upstream", talkative(t).URL, "--events", filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	provoke(t, p.url)
	if code, err := p.stop(); code != exitOK || err != nil {
		t.Errorf("exit %d, %v", code, err)
	}
	if p.stdout.Len() > 0 || p.stderr.Len() > 0 {
		t.Errorf("stdout %q, stderr %q", p.stdout.String(), p.stderr.String())
	}
	wantClean(t, dir, "events.jsonl", "repairs.json")
}

// The same with the command of its own, whose messages go to a file.
func TestRunTellsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command("imagebreaker", "run", "--upstream", talkative(t).URL, "--", "sh", "-c", "echo $ANTHROPIC_BASE_URL; cat >/dev/null")
	cmd.Env = append([]string{quickExit, "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + dir}, secrets...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	url, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("%v, stderr %q", err, stderr.String())
	}
	provoke(t, strings.TrimSpace(url))
	in.Close()
	rest, _ := io.ReadAll(r)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if said := fmt.Sprint(string(rest), stderr.String()); strings.Contains(said, mark) {
		t.Errorf("said %q", said)
	}
	wantClean(t, dir, "events.jsonl", "repairs.json", "run.log")
}
