package cli

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"imagebreaker/imagehash"
	"imagebreaker/internal/config"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/service"
)

// demoCommand plays a session over real HTTP: an API that decodes the image it
// gets, the proxy in front of it, and an agent that retries as agents do.
func demoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Play the story of a truncated screenshot, without a key or a network",
		GroupID: groupProxy, Args: noArguments, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return failing(playDemo(cmd.OutOrStdout())) },
	}
}

// stage holds the servers of the demo.
type stage struct {
	out    io.Writer
	api    *fakeapi.Server
	url    string
	events string
	stop   func()
}

// attempt is one request of the demo's agent, and its result.
type attempt struct {
	what     string
	sent     int // bytes from the agent
	uploaded int // bytes that reached the API
	status   int
	by       string
	says     string
	took     time.Duration
}

func playDemo(out io.Writer) error {
	dir, err := os.MkdirTemp("", "imagebreaker-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	api, err := fakeapi.Start(decodes)
	if err != nil {
		return err
	}
	defer api.Close()
	events := filepath.Join(dir, "events.jsonl")
	c, err := config.Load(map[string]string{"listen": "127.0.0.1:0", "upstream": api.URL, "events": events, "state": ""}, func(string) string { return "" })
	if err != nil {
		return err
	}
	proxy, err := service.Open(c, buildVersion(), io.Discard)
	if err != nil {
		return err
	}
	proxy.Start()
	stop := sync.OnceFunc(func() { proxy.Close(0) })
	defer stop()
	return stage{out: out, api: api, url: proxy.URL(), events: events, stop: stop}.play()
}

func (s stage) play() error {
	good := screenshot()
	bad := good[:len(good)*3/5]
	fmt.Fprintf(s.out, "An agent reads screenshot.png, a PNG whose last part is missing (%d of %d bytes).\n"+
		"The API, the proxy and the agent all run inside this command; nothing leaves the machine.\n\n", len(bad), len(good))
	fmt.Fprintf(s.out, "  %-2s %-22s %10s %10s  %-13s %s\n", "#", "the agent's request", "sent", "uploaded", "answered by", "answer")
	var all []attempt
	for i := range 7 {
		what, data := "the same again", bad
		switch i {
		case 0:
			what = "first try"
		case 6:
			what, data = "the file, repaired", good
		}
		a, err := s.try(what, data)
		if err != nil {
			return err
		}
		all = append(all, a)
		fmt.Fprintf(s.out, "  %-2d %-22s %10d %10d  %-13s %d %s (%.1f ms)\n", i+1, a.what, a.sent, a.uploaded, a.by, a.status, firstLine(a.says), float64(a.took.Microseconds())/1000)
	}
	s.summarize(all)
	return nil
}

// summarize prints the totals, a short-circuited answer, the log and what to do next.
func (s stage) summarize(all []attempt) {
	sent, uploaded := 0, 0
	for _, a := range all[:6] {
		sent, uploaded = sent+a.sent, uploaded+a.uploaded
	}
	fmt.Fprintf(s.out, "\nThe bad image was tried 6 times and uploaded once: %d bytes instead of %d.\n", uploaded, sent)
	fmt.Fprintf(s.out, "What the agent's user reads from the second try on:\n\n%s\n", indent(all[1].says))
	s.stop() // flushes the log
	log, err := os.ReadFile(s.events)
	if err == nil {
		fmt.Fprintf(s.out, "The event log (no payload, no prompt, no URL in it):\n\n%s\n", indent(string(log)))
	}
	fmt.Fprint(s.out, `To put it before your own agent:

    imagebreaker &                                            # listens on 127.0.0.1:8788
    ANTHROPIC_BASE_URL=http://127.0.0.1:8788 claude           # Claude Code
    OPENAI_BASE_URL=http://127.0.0.1:8788/v1 python app.py    # OpenAI's SDKs
    IMAGEBREAKER_MODE=off imagebreaker                        # the off switch; dry-run only watches
`)
}

// decodes is an API that decodes the image, as real ones do.
func decodes(r fakeapi.Request) fakeapi.Answer {
	_, rest, _ := bytes.Cut(r.Body, []byte(`"data":"`))
	b64, _, _ := bytes.Cut(rest, []byte(`"`))
	data, err := imagehash.DecodeBase64(b64)
	if err == nil {
		_, err = png.Decode(bytes.NewReader(data))
	}
	if err != nil {
		return fakeapi.BadImage(fakeapi.Anthropic)
	}
	return fakeapi.Success(fakeapi.Anthropic, true, "It shows a window with a plot in it.")
}

// try sends a turn with the image in the form in which an agent's Read tool returns it.
func (s stage) try(what string, data []byte) (attempt, error) {
	body := fmt.Sprintf(`{"model":"claude-demo","max_tokens":1024,"messages":[`+
		`{"role":"user","content":"What is on screenshot.png?"},`+
		`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"/home/you/screenshot.png"}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]}]}],"stream":true}`,
		base64.StdEncoding.EncodeToString(data))
	before := len(s.api.Requests())
	req, err := http.NewRequest(http.MethodPost, s.url+"/v1/messages", strings.NewReader(body))
	if err != nil {
		return attempt{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Session-Id", "demo")
	start := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return attempt{}, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return attempt{}, err
	}
	a := attempt{what: what, sent: len(body), status: resp.StatusCode, by: "imagebreaker", says: spoken(answer), took: time.Since(start)}
	for _, r := range s.api.Requests()[before:] {
		a.by, a.uploaded = "the API", a.uploaded+len(r.Body)
	}
	return a, nil
}

// screenshot returns a PNG of noise, of the size of a small screenshot.
func screenshot() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	im := image.NewGray(image.Rect(0, 0, 320, 200))
	for y := range 200 {
		for x := range 320 {
			im.SetGray(x, y, color.Gray{Y: uint8(r.UintN(256))})
		}
	}
	var b bytes.Buffer
	png.Encode(&b, im) // cannot fail: it writes to a buffer
	return b.Bytes()
}
