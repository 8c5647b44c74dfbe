package config

import (
	"strings"
	"testing"
	"time"

	"imagebreaker/internal/policy"
)

// none is an empty environment.
func none(string) string { return "" }

// flagsOf are the flags of a command line of nothing but --name value.
func flagsOf(line string) map[string]string {
	flags, words := map[string]string{}, strings.Fields(line)
	for i := 0; i < len(words); i += 2 {
		flags[strings.TrimPrefix(words[i], "--")] = words[i+1]
	}
	return flags
}

func TestRedact(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 101)
	tests := []struct{ in, want string }{
		{"", ""},
		{"maybe", "maybe"},
		{"user:password@example.test/path", "…@example.test/path"},
		{"ftp://example.test/path", "ftp://example.test/path"},
		{"http://user:password@example.test", "http://…"},
		{"https://example.test?key=value", "https://…"},
		{"anthropic=https://example.test,openai=https://example.test/#x", "anthropic=https://…"},
		{long, long[:100] + "…"},
	}
	for _, tt := range tests {
		if got := Redact(tt.in); got != tt.want {
			t.Errorf("Redact(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	flags := flagsOf("--mode dry-run --reply repair --listen localhost:0 --cool-off 2s --max-hold 3m --capacity 7 --downgrade-status 422 " +
		"--body-limit 5KiB --events e --websocket tunnel --upstream anthropic=http://127.0.0.1:1/base")
	env := map[string]string{"HOME": "/home/you", "IMAGEBREAKER_MODE": "off", "IMAGEBREAKER_STATE": "by-variable", "IMAGEBREAKER_CAPACITY": "none", "IMAGEBREAKER_REPLY": ""}
	c, err := Load(flags, func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	p := c.Proxy
	if p.Mode != policy.DryRun || p.Reply != policy.Repair || p.CoolOff != 2*time.Second || p.MaxHold != 3*time.Minute || p.Capacity != 7 ||
		p.DowngradeStatus != 422 || p.BodyLimit != 5<<10 || !p.TunnelWebSocket {
		t.Errorf("proxy settings are %+v", p)
	}
	if got := p.Upstreams["anthropic"].String(); got != "http://127.0.0.1:1/base" {
		t.Errorf("upstream for anthropic is %s", got)
	}
	if got := p.Upstreams["openai"].String(); got != "https://api.openai.com" {
		t.Errorf("upstream for openai is %s", got)
	}
	if c.Listen != "localhost:0" || c.Events != "e" || c.State != "by-variable" {
		t.Errorf("listens on %s, events in %s, state in %s", c.Listen, c.Events, c.State)
	}
	for setting, want := range map[string]string{"mode": "--mode", "state": "IMAGEBREAKER_STATE", "reply": "--reply"} {
		if got := c.Name(setting); got != want {
			t.Errorf("%s is called %s, want %s", setting, got, want)
		}
	}
}

func TestNoPlaceForTheLog(t *testing.T) {
	t.Parallel()
	tests := []struct {
		flags string
		ok    bool
	}{
		{"--listen 127.0.0.1:0", false},
		{"--mode dry-run", false},
		{"--mode off", true},
		{"--events somewhere", true},
	}
	for _, tt := range tests {
		_, err := Load(flagsOf(tt.flags), none)
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.flags, err)
		}
	}
}
