package config

import (
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
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
		if got, err := parseSize(tt.in); got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("parseSize(%q) = %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"64MiB", "1", "2GB", "-1KiB", " 7 B", "99999999999999GiB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := parseSize(s)
		if err == nil && (n < 1 || n > 1<<31-1) || err != nil && n != 0 {
			t.Errorf("parseSize(%q) = %d, %v", s, n, err)
		}
	})
}

func TestParseTime(t *testing.T) {
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
		if err := parseTime(tt.in, &got); got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("parseTime(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
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
		_, err := Load(map[string]string{"listen": tt.in, "mode": "off"}, none)
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
		if checkListen(s) != nil || !IsLoopback(s) {
			return
		}
		host, _, err := net.SplitHostPort(s)
		if ip, perr := netip.ParseAddr(host); err != nil || host != "localhost" && (perr != nil || !ip.Unmap().IsLoopback()) {
			t.Errorf("%q is taken, and is no loopback address", s)
		}
	})
}
