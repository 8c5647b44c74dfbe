package cli

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"imagebreaker/internal/policy"
)

func TestSize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want int64 // 0: an error
	}{
		{"1", 1},
		{"1B", 1},
		{"2147483647", 1<<31 - 1},
		{"2147483648", 0},
		{"1KiB", 1024},
		{"1KB", 1000},
		{"64MiB", 64 << 20},
		{"64 MiB", 64 << 20},
		{"64MB", 64e6},
		{"2047MiB", 2047 << 20},
		{"2048MiB", 0},
		{"1GiB", 1 << 30},
		{"2GiB", 0},
		{"2GB", 2e9},
		{"3GB", 0},
		{"", 0},
		{"0", 0},
		{"0MiB", 0},
		{"-1MiB", 0},
		{"MiB", 0},
		{"1.5MiB", 0},
		{"64potatoes", 0},
		{"64mib", 0},
		{"64MiBMiB", 0},
		{"0x10", 0},
		{"9223372036854775808", 0},
		{"9223372036854775807GiB", 0},
	}
	for _, tt := range tests {
		if got, err := size(tt.in); got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("size(%q) = %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
}

func FuzzSize(f *testing.F) {
	for _, s := range []string{"64MiB", "1", "2GB", "-1KiB", " 7 B", "99999999999999GiB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := size(s)
		if err == nil && (n < 1 || n > 1<<31-1) || err != nil && n != 0 {
			t.Errorf("size(%q) = %d, %v", s, n, err)
		}
	})
}

func TestDuration(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want time.Duration // 0: an error
	}{
		{"30s", 30 * time.Second},
		{"1h30m", 90 * time.Minute},
		{"0.5s", 500 * time.Millisecond},
		{"1ns", 1},
		{"0", 0},
		{"0s", 0},
		{"-3s", 0},
		{"30", 0},
		{"soon", 0},
		{"", 0},
		{"1d", 0},
		{"9999999999h", 0},
	}
	for _, tt := range tests {
		var got time.Duration
		if err := duration(tt.in, &got); got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("duration(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

func TestCheckListen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want string // what the error proposes; "": no error
	}{
		{"127.0.0.1:8788", ""},
		{"127.0.0.1:0", ""},
		{"127.0.0.1:65535", ""},
		{"127.9.9.9:1", ""},
		{"[::1]:8788", ""},
		{"localhost:8788", ""},
		{"", "HOST:PORT"},
		{"8788", "HOST:PORT"},
		{"127.0.0.1", "HOST:PORT"},
		{"::1:8788", "HOST:PORT"},
		{"127.0.0.1:", "port from 0 to 65535"},
		{"127.0.0.1:65536", "port from 0 to 65535"},
		{"127.0.0.1:-1", "port from 0 to 65535"},
		{"127.0.0.1:http", "port from 0 to 65535"},
		{":8788", "loopback"},
		{"0.0.0.0:8788", "loopback"},
		{"[::]:8788", "loopback"},
		{"192.0.2.1:8788", "loopback"},
		{"[fe80::1%lo]:8788", "loopback"},
		{"example.test:8788", "loopback"},
		{"localhost.example.test:8788", "loopback"},
	}
	for _, tt := range tests {
		err := checkListen(tt.in)
		if err == nil {
			err = checkReach(tt.in)
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want one with %q", tt.in, err, tt.want)
		}
	}
}

func FuzzCheckListen(f *testing.F) {
	for _, s := range []string{"127.0.0.1:0", "localhost:1", "[::1]:2", ":3", "0.0.0.0:4", "[::ffff:1.2.3.4]:5", "[::1%lo]:6"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if checkListen(s) != nil || checkReach(s) != nil {
			return
		}
		host, _, err := net.SplitHostPort(s)
		if ip, perr := netip.ParseAddr(host); err != nil || host != "localhost" && (perr != nil || !ip.Unmap().IsLoopback()) {
			t.Errorf("%q is taken, and is no loopback address", s)
		}
	})
}

func TestOneOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    string
		words []string
		want  string // the error; "": none
	}{
		{"a", []string{"a", "b"}, ""},
		{"b", []string{"a", "b"}, ""},
		{"c", []string{"a", "b"}, "use a or b"},
		{"c", []string{"a", "b", "d", "e"}, "use a, b, d or e"},
		{"", []string{"a", "b"}, "use a or b"},
		{"A", []string{"a", "b"}, "use a or b"},
		{"a ", []string{"a", "b"}, "use a or b"},
	}
	for _, tt := range tests {
		got := "before"
		err := oneOf(tt.in, &got, tt.words...)
		if tt.want == "" && (err != nil || got != tt.in) || tt.want != "" && (err == nil || err.Error() != tt.want || got != "before") {
			t.Errorf("oneOf(%q, %q) = %v with %q, want %q", tt.in, tt.words, err, got, tt.want)
		}
	}
}

func TestShown(t *testing.T) {
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
		if got := shown(tt.in); got != tt.want {
			t.Errorf("shown(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestSettings checks the one table that the flags, the variables and the help
// are made of.
func TestSettings(t *testing.T) {
	t.Parallel()
	variables := map[string]bool{}
	help := call("", "help").stdout
	for _, s := range settings {
		if s.name == "" || s.help == "" || s.fallback == "" || s.set == nil {
			t.Errorf("%+v lacks something", s)
		}
		if v := s.env(); variables[v] || v != strings.ToUpper(v) || !strings.HasPrefix(v, "IMAGEBREAKER_") || strings.Contains(v, "-") {
			t.Errorf("%s has the variable %s", s.name, v)
		}
		variables[s.env()] = true
		if !strings.Contains(help, "  --"+s.name+" ") || !strings.Contains(help, " "+s.env()+" ") || !strings.Contains(help, s.help+" (default "+s.fallback+")\n") {
			t.Errorf("the help does not tell all of %s", s.name)
		}
	}
	for _, want := range []string{"IMAGEBREAKER_MODE", "IMAGEBREAKER_COOL_OFF", "IMAGEBREAKER_MAX_HOLD", "IMAGEBREAKER_DOWNGRADE_STATUS", "IMAGEBREAKER_BODY_LIMIT"} {
		if !variables[want] {
			t.Errorf("no setting has the variable %s", want)
		}
	}
}

// TestFallbacksAreValues makes sure that the defaults in the help can be given.
func TestFallbacksAreValues(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{"upstream": true, "events": true, "state": true, "rules": true} // described, not spelled out
	for _, s := range settings {
		if err := s.set(&config{}, s.fallback); !texts[s.name] && err != nil {
			t.Errorf("the default %q of %s: %v", s.fallback, s.name, err)
		}
	}
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	args := strings.Fields("--mode dry-run --reply repair --listen localhost:0 --cool-off 2s --max-hold 3m --capacity 7 --downgrade-status 422 " +
		"--body-limit 5KiB --events e --websocket tunnel --upstream anthropic=http://127.0.0.1:1/base")
	env := map[string]string{"HOME": "/home/you", "IMAGEBREAKER_MODE": "off", "IMAGEBREAKER_STATE": "by-variable", "IMAGEBREAKER_CAPACITY": "none", "IMAGEBREAKER_REPLY": ""}
	c, err := configure(Env{Args: args, Getenv: func(k string) string { return env[k] }})
	if err != nil {
		t.Fatal(err)
	}
	p := c.proxy
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
	if c.listen != "localhost:0" || c.events != "e" || c.state != "by-variable" {
		t.Errorf("listens on %s, events in %s, state in %s", c.listen, c.events, c.state)
	}
	for setting, want := range map[string]string{"mode": "--mode", "state": "IMAGEBREAKER_STATE", "reply": "--reply"} {
		if got := c.name(setting); got != want {
			t.Errorf("%s is called %s, want %s", setting, got, want)
		}
	}
}

func TestNoPlaceForTheLog(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args string
		ok   bool
	}{
		{"--listen 127.0.0.1:0", false},
		{"--mode dry-run", false},
		{"--mode off", true},
		{"--events somewhere", true},
	}
	for _, tt := range tests {
		_, err := configure(Env{Args: strings.Fields(tt.args), Getenv: func(string) string { return "" }})
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.args, err)
		}
	}
}

// TestEndedContext: a context that ends is as good as a signal.
func TestEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	code := Run(ctx, Env{Args: strings.Fields("--mode off --listen 127.0.0.1:0"), Getenv: func(string) string { return "" }, Stdout: &out, Stderr: io.Discard})
	if code != exitOK || !readyLine.MatchString(out.String()) {
		t.Errorf("exit %d, stdout %q", code, out.String())
	}
}
