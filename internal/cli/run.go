package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/proxy"
)

// Exit codes of shells for a command that cannot be started.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// afterChild is how long requests that the child has left open may take.
const afterChild = time.Second

// runChild runs a command with the proxy on a free port before the APIs that
// it would use.
func runChild(ctx context.Context, env Env) int {
	i := slices.Index(env.Args, "--")
	var child []string
	if i >= 0 {
		env.Args, child = env.Args[:i], env.Args[i+1:]
	}
	c, err := configure(env)
	if errors.Is(err, errHelp) {
		usage(env.Stdout)
		return exitOK
	}
	if err == nil && len(child) == 0 {
		err = errors.New("run: no command; use imagebreaker run [flags] -- CMD ARGS…")
	}
	if err == nil {
		err = c.forChild(env.Getenv)
	}
	if err != nil {
		return mistake(env, "%v", err)
	}
	path, err := exec.LookPath(child[0])
	if err != nil {
		fmt.Fprintf(env.Stderr, "imagebreaker: run: %q cannot be started: %v\n", child[0], reasonOf(err))
		return exitNotFound
	}
	code, died := c.runBehind(ctx, env, path, child)
	if died != 0 && env.DieOf != nil {
		env.DieOf(died)
	}
	return code
}

// runBehind runs the child while the proxy serves. The signal is what ended
// the child, 0 if nothing did.
func (c config) runBehind(ctx context.Context, env Env, path string, child []string) (int, syscall.Signal) {
	messages, err := c.openMessages()
	if err != nil {
		return mistake(env, "%v", err), 0
	}
	defer messages.Close()
	s, err := open(c, messages)
	if err != nil {
		return mistake(env, "%v", err), 0
	}
	s.start()
	defer s.close(afterChild)
	fmt.Fprintf(env.Stderr, "imagebreaker: at %s (mode %s), messages go to %s\n", s.url(), s.proxy.Mode, messages.Name())
	cmd := exec.CommandContext(ctx, path, childArgs(child, s.url(), env)...)
	cmd.Args[0] = child[0]
	cmd.Env = append(os.Environ(), c.childEnv(s.url(), env.Getenv)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Stdin, env.Stdout, env.Stderr
	return wait(env, cmd)
}

// reasonOf is an error of os/exec without the name that the message has anyway.
func reasonOf(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// baseVariable is an environment variable by which clients find an API.
type baseVariable struct {
	name     string
	provider string
	suffix   string // the part of the path that clients expect in it
}

// baseVariables are what the known agents and SDKs read: Claude Code and
// Anthropic's SDKs; OpenAI's SDKs, Qwen Code, aider; Gemini CLI.
var baseVariables = []baseVariable{
	{"ANTHROPIC_BASE_URL", "anthropic", ""},
	{"OPENAI_BASE_URL", "openai", "/v1"},
	{"OPENAI_API_BASE", "openai", "/v1"},
	{"GOOGLE_GEMINI_BASE_URL", "gemini", ""},
}

// forChild fits the settings to a child: a free port, and the base URLs that
// were set before become the upstreams.
func (c *config) forChild(getenv func(string) string) error {
	if _, given := c.given["listen"]; !given {
		c.listen = "127.0.0.1:0"
	}
	if _, given := c.given["upstream"]; given {
		return nil
	}
	for _, v := range slices.Backward(baseVariables) { // of two for one provider the first counts
		value := getenv(v.name)
		if value == "" {
			continue
		}
		base, err := proxy.ParseUpstreams(strings.TrimSuffix(strings.TrimSuffix(value, "/"), v.suffix))
		if err != nil {
			return fmt.Errorf("%s %q: %w", v.name, shown(value), err)
		}
		c.proxy.Upstreams[v.provider] = base[v.provider]
	}
	return nil
}

// childEnv points the child's clients to the proxy.
func (c config) childEnv(base string, getenv func(string) string) []string {
	var out []string
	for _, v := range baseVariables {
		suffix := v.suffix
		if was := strings.TrimSuffix(getenv(v.name), "/"); was != "" && !strings.HasSuffix(was, suffix) {
			suffix = "" // an API without it
		}
		out = append(out, v.name+"="+base+suffix)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		out = append(out, name+"="+strings.Trim(getenv(name)+",127.0.0.1,localhost", ","))
	}
	return out
}

// childArgs are the command's arguments. Codex reads no variable for its
// built-in provider's address, but takes it as an override; with an account's
// login another address would not take its token, so that is left alone.
func childArgs(child []string, base string, env Env) []string {
	args := child[1:]
	name := strings.TrimSuffix(filepath.Base(child[0]), ".exe")
	if name != "codex" || env.Getenv("OPENAI_API_KEY") == "" {
		return args
	}
	u, err := url.Parse(base)
	if err != nil {
		return args
	}
	fmt.Fprintf(env.Stderr, "imagebreaker: codex gets -c openai_base_url=%q\n", u.JoinPath("v1"))
	return append([]string{"-c", fmt.Sprintf("openai_base_url=%q", u.JoinPath("v1"))}, args...)
}

// openMessages opens the file for what the proxy has to say: the terminal is
// the child's.
func (c config) openMessages() (*os.File, error) {
	err := errors.New("no folder for state")
	var f *os.File
	if c.events != "" {
		dir := filepath.Dir(c.events)
		if err = os.MkdirAll(dir, 0o700); err == nil {
			f, err = eventlog.OpenPrivate(filepath.Join(dir, "run.log"))
		}
	}
	if err != nil {
		f, err = os.CreateTemp("", "imagebreaker-run-*.log")
	}
	if err != nil {
		return nil, fmt.Errorf("no place for messages: %w; name a folder that can be written with --events DIR/events.jsonl", err)
	}
	return f, nil
}
