package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imagebreaker/internal/input"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/upstream"
)

// Setting is an option that a flag or an environment variable sets.
type Setting struct {
	Name    string   // of the flag, without its dashes
	Default string   // as the help shows it
	Usage   string   // one line for the help
	Value   string   // what stands for the value in the help
	Words   []string // the values that it can have, if they are few
	Switch  bool     // the flag alone turns it on

	set func(c *Config, value string) error
}

// Variable returns the environment variable of the setting.
func (s Setting) Variable() string {
	return "IMAGEBREAKER_" + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
}

// IsFile reports whether the value is the path of a file.
func (s Setting) IsFile() bool { return s.Value == "FILE" }

// Settings returns all settings, in the order of the help.
func Settings() []Setting { return slices.Clone(settings) }

// settings is the table from which flags, variables, help, completion and manual
// page are derived. An error of set says what to use instead; Load prefixes the
// setting and its value.
var settings = []Setting{
	choice("mode", "on", "on, off (a plain proxy) or dry-run (observe and log, change nothing)",
		[]string{"on", "off", "dry-run"}, func(c *Config, word string) { c.Proxy.Mode = policy.Mode(word) }),
	choice("reply", "auto", "how requests with a known-bad image are answered",
		[]string{"auto", "message", "error", "repair"}, func(c *Config, word string) { c.Proxy.Reply = policy.Style(word) }),
	{Name: "listen", Default: "127.0.0.1:8788", Value: "HOST:PORT", Usage: "loopback address to listen on; port 0 picks a free one", set: func(c *Config, v string) error {
		c.Listen = v
		return checkListen(v)
	}},
	onOff("allow-remote", "allow --listen to be an address that other machines can reach", func(c *Config) *bool { return &c.Remote }),
	{Name: "upstream", Default: "each API's public address", Value: "URL", Usage: "one URL for everything, or PROVIDER=URL,... for some of anthropic, openai, gemini, vertex, bedrock, ollama", set: func(c *Config, v string) (err error) {
		c.upstream = v
		c.Proxy.Upstreams, err = upstream.Parse(v)
		return err
	}},
	{Name: "cool-off", Default: "30s", Value: "TIME", Usage: "how long a failed image is short-circuited after the last attempt", set: func(c *Config, v string) error {
		return parseTime(v, &c.Proxy.CoolOff)
	}},
	{Name: "max-hold", Default: "15m", Value: "TIME", Usage: "how long it is short-circuited in total before a request is let through as a probe", set: func(c *Config, v string) error {
		return parseTime(v, &c.Proxy.MaxHold)
	}},
	{Name: "capacity", Default: "4096", Value: "N", Usage: "how many failures are remembered", set: func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxCapacity {
			return fmt.Errorf("use a whole number from 1 to %d", maxCapacity)
		}
		c.Proxy.Capacity = n
		return nil
	}},
	choice("downgrade-status", "400", "status that replaces a 5xx caused by an image: 400, or 422 for gateways that expect it",
		[]string{"400", "422"}, func(c *Config, word string) { c.Proxy.DowngradeStatus, _ = strconv.Atoi(word) }),
	{Name: "body-limit", Default: "64MiB", Value: "SIZE", Usage: "largest request, decompressed, that is inspected; larger ones bypass inspection", set: func(c *Config, v string) (err error) {
		c.Proxy.BodyLimit, err = parseSize(v)
		return err
	}},
	file("events", "the platform's folder for state", "file of the event log", func(c *Config) *string { return &c.Events }),
	onOff("preflight", "short-circuit what cannot be an image (an HTML page, a Git LFS pointer, an empty file) before its first upload", func(c *Config) *bool { return &c.Proxy.Preflight }),
	{Name: "rules", Default: "none", Value: "FILE", Usage: "file with your own rules for verdicts", set: func(c *Config, v string) (err error) {
		c.Proxy.Rules, err = readRules(v)
		return err
	}},
	file("state", "beside the event log's default", "file that remembers substituted images; empty for none", func(c *Config) *string { return &c.State }),
	choice("websocket", "refuse", "refuse WebSockets (Codex then uses HTTP) or tunnel them; always tunnel in off and dry-run",
		[]string{"refuse", "tunnel"}, func(c *Config, word string) { c.Proxy.TunnelWebSocket = word == "tunnel" }),
}

// maxCapacity keeps a typo from exhausting the memory: an entry with its known-good
// images takes about 3 KB.
const maxCapacity = 1 << 20

// choice returns a setting that is one of a few words.
func choice(name, fallback, usage string, words []string, set func(c *Config, word string)) Setting {
	return Setting{Name: name, Default: fallback, Usage: usage, Value: strings.Join(words, "|"), Words: words, set: func(c *Config, v string) error {
		if !slices.Contains(words, v) {
			return useOneOf(words)
		}
		set(c, v)
		return nil
	}}
}

// onOff returns a switch that is off by default.
func onOff(name, usage string, to func(c *Config) *bool) Setting {
	return Setting{Name: name, Default: "off", Usage: usage, Value: "on|off", Words: []string{"on", "off"}, Switch: true, set: func(c *Config, v string) error {
		return parseSwitch(v, to(c))
	}}
}

// file returns a setting that is the path of a file, which need not exist.
func file(name, fallback, usage string, to func(c *Config) *string) Setting {
	return Setting{Name: name, Default: fallback, Usage: usage, Value: "FILE", set: func(c *Config, v string) error {
		*to(c) = v
		return input.CheckFile(v)
	}}
}
