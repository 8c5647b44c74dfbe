package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"imagebreaker/eventlog"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/input"
	"imagebreaker/internal/proxy"
)

// config is what the settings come to.
type config struct {
	proxy  proxy.Config
	listen string
	remote bool // it may listen on an address that others reach
	// upstream is --upstream as given. Empty: nothing was.
	upstream string
	events   string
	state    string            // empty: repairs are remembered until the program ends
	given    map[string]string // how each setting was given: its flag or its variable
}

// name is how the user knows a setting.
func (c config) name(setting string) string {
	if n, ok := c.given[setting]; ok {
		return n
	}
	return "--" + setting
}

// setting is one thing that can be set, by a flag or by the environment.
type setting struct {
	name     string
	fallback string // its default, as the help shows it
	help     string
	set      func(c *config, value string) error
	isSwitch bool     // the flag alone turns it on
	words    []string // the values that it can have, if they are few
	isFile   bool     // its value is the path of a file
}

// env is the setting's environment variable.
func (s setting) env() string {
	return "IMAGEBREAKER_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

// settings is the one table of all settings. A set function's error says what
// would do; the setting's name and value are put before it.
var settings = []setting{
	choice("mode", "on", "on, off (a plain proxy) or dry-run (observe and log, change nothing)",
		[]string{"on", "off", "dry-run"}, func(c *config, word string) { c.proxy.Mode = proxy.Mode(word) }),
	choice("reply", "auto", "how requests with a known-bad image are answered: auto, message, error or repair",
		[]string{"auto", "message", "error", "repair"}, func(c *config, word string) { c.proxy.Reply = proxy.Style(word) }),
	{name: "listen", fallback: "127.0.0.1:8788", help: "loopback address to listen on; port 0 picks a free one", set: func(c *config, v string) error {
		c.listen = v
		return checkListen(v)
	}},
	{name: "allow-remote", fallback: "off", help: "listen on an address that other machines reach: on or off", isSwitch: true, set: func(c *config, v string) error {
		return onOff(v, &c.remote)
	}},
	{name: "upstream", fallback: "each API's public address", help: "one URL for everything, or PROVIDER=URL,… for some of anthropic, openai, gemini, vertex, bedrock, ollama", set: func(c *config, v string) (err error) {
		c.upstream = v
		c.proxy.Upstreams, err = proxy.ParseUpstreams(v)
		return err
	}},
	{name: "cool-off", fallback: "30s", help: "how long a failure holds after the last attempt", set: func(c *config, v string) error {
		return duration(v, &c.proxy.CoolOff)
	}},
	{name: "max-hold", fallback: "15m", help: "how long it holds in all before a request is let through as a probe", set: func(c *config, v string) error {
		return duration(v, &c.proxy.MaxHold)
	}},
	{name: "capacity", fallback: "4096", help: "how many failures are remembered", set: func(c *config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxCapacity {
			return fmt.Errorf("use a whole number from 1 to %d", maxCapacity)
		}
		c.proxy.Capacity = n
		return nil
	}},
	choice("downgrade-status", "400", "status of a 5xx that is an image's fault: 400, or 422 for gateways that expect it",
		[]string{"400", "422"}, func(c *config, word string) { c.proxy.DowngradeStatus, _ = strconv.Atoi(word) }),
	{name: "body-limit", fallback: "64MiB", help: "largest request, inflated, that is looked at; larger ones are streamed through unseen", set: func(c *config, v string) (err error) {
		c.proxy.BodyLimit, err = size(v)
		return err
	}},
	{name: "events", fallback: "the platform's folder for state", help: "file of the event log", isFile: true, set: func(c *config, v string) error {
		c.events = v
		return input.CheckFile(v)
	}},
	{name: "preflight", fallback: "off", help: "hold an image that can be none (a page, a pointer, an empty file) before its first upload: on or off", isSwitch: true, set: func(c *config, v string) error {
		return onOff(v, &c.proxy.Preflight)
	}},
	{name: "rules", fallback: "none", help: "file of your own rules for verdicts", isFile: true, set: func(c *config, v string) (err error) {
		c.proxy.Rules, err = readRules(v)
		return err
	}},
	{name: "state", fallback: "beside the event log's default", help: "file in which replaced images are remembered; empty for none", isFile: true, set: func(c *config, v string) error {
		c.state = v
		return input.CheckFile(v)
	}},
	choice("websocket", "refuse", "refuse (Codex then uses HTTP) or tunnel WebSockets; they are tunnelled in off and dry-run",
		[]string{"refuse", "tunnel"}, func(c *config, word string) { c.proxy.TunnelWebSocket = word == "tunnel" }),
}

// choice is a setting that is one of a few words.
func choice(name, fallback, help string, words []string, set func(c *config, word string)) setting {
	return setting{name: name, fallback: fallback, help: help, words: words, set: func(c *config, v string) error {
		var word string
		if err := oneOf(v, &word, words...); err != nil {
			return err
		}
		set(c, word)
		return nil
	}}
}

// maxCapacity keeps a slip of the finger from taking the machine's memory: an
// entry with its known-good images is about 3 KB.
const maxCapacity = 1 << 20

// defaults are the settings that need a value even if nobody gives one.
func defaults(env Env) (config, error) {
	up, err := proxy.ParseUpstreams("")
	if err != nil {
		return config{}, err
	}
	events, err := eventlog.DefaultPath(env.Getenv, runtime.GOOS)
	state := ""
	if events != "" {
		state = filepath.Join(filepath.Dir(events), "repairs.json")
	}
	return config{listen: "127.0.0.1:8788", events: events, state: state, given: map[string]string{}, proxy: proxy.Config{Upstreams: up, Mode: proxy.On}}, err
}

// errHelp says that the help was asked for.
var errHelp = flag.ErrHelp

// configure reads the environment, then the flags.
func configure(env Env) (config, error) {
	c, pathErr := defaults(env)
	fs := newFlags("serve")
	given := map[string]string{}
	for _, s := range settings {
		note := func(v string) error { given[s.name] = v; return nil }
		if s.isSwitch {
			fs.BoolFunc(s.name, s.help, note)
			continue
		}
		fs.Func(s.name, s.help, note)
	}
	if err := fs.Parse(env.Args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return c, errHelp
		}
		return c, fmt.Errorf("%w; --help lists the flags", err)
	}
	if fs.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q; settings are given as --name value", fs.Arg(0))
	}
	for _, s := range settings {
		value, name := env.Getenv(s.env()), s.env()
		if v, ok := given[s.name]; ok {
			value, name = v, "--"+s.name
		} else if value == "" {
			continue
		}
		c.given[s.name] = name
		if err := s.set(&c, value); err != nil {
			return c, fmt.Errorf("%s %q: %w", name, shown(value), err)
		}
	}
	if err := checkReach(c.listen); err != nil && !c.remote {
		return c, fmt.Errorf("%s %q: %w", c.name("listen"), shown(c.listen), err)
	}
	c.proxy.Upstreams.InRegion(cmp.Or(env.Getenv("AWS_REGION"), env.Getenv("AWS_DEFAULT_REGION")))
	if c.events == "" && pathErr != nil && c.proxy.Mode != proxy.Off {
		return c, fmt.Errorf("%w with --events FILE", pathErr)
	}
	return c, nil
}

// shown is a value as a message may show it: an address may have a password or
// a key in it.
func shown(v string) string {
	if scheme, rest, ok := strings.Cut(v, "://"); ok && strings.ContainsAny(rest, "@?#") {
		v = scheme + "://…"
	} else if at := strings.LastIndexByte(v, '@'); at >= 0 { // an address without its scheme
		v = "…" + v[at:]
	}
	if len(v) > 100 {
		return v[:100] + "…"
	}
	return v
}

func oneOf(v string, to *string, words ...string) error {
	if !slices.Contains(words, v) {
		return fmt.Errorf("use %s or %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
	}
	*to = v
	return nil
}

func onOff(v string, to *bool) error {
	switch v {
	case "on", "true", "1":
		*to = true
	case "off", "false", "0":
		*to = false
	default:
		return errors.New("use on or off")
	}
	return nil
}

// readRules reads a file of rules. Its error is the first one that the file has.
func readRules(path string) (failure.Rules, error) {
	data, err := input.Read(path, nil, 1<<20)
	if err != nil {
		return nil, err
	}
	rules, err := failure.ParseRules(data)
	if err != nil {
		first, more, _ := strings.Cut(err.Error(), "\n")
		if more != "" {
			first += fmt.Sprintf(" (and %d more)", strings.Count(more, "\n")+1)
		}
		return nil, errors.New(first)
	}
	return rules, nil
}

func duration(v string, to *time.Duration) error {
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return errors.New("use a time above zero, such as 30s, 5m or 1h")
	}
	*to = d
	return nil
}

func checkListen(v string) error {
	_, port, err := net.SplitHostPort(v)
	if err != nil {
		return errors.New("use HOST:PORT, such as 127.0.0.1:8788")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return errors.New("use a port from 0 to 65535")
	}
	return nil
}

// checkReach takes loopback addresses only: whoever reaches the proxy can send
// requests through it.
func checkReach(listen string) error {
	host, _, _ := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("use a loopback address: 127.0.0.1, [::1] or localhost (or --allow-remote, if others are meant to use it)")
	}
	return nil
}

var units = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

// size reads a number of bytes with a unit.
func size(v string) (int64, error) {
	for _, u := range units {
		digits, ok := strings.CutSuffix(v, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 1 || n > (2<<30-1)/u.bytes {
			break
		}
		return n * u.bytes, nil
	}
	return 0, errors.New("use a size from 1B to 2047MiB, such as 64MiB")
}
