package config

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"imagebreaker/internal/failure"
	"imagebreaker/internal/input"
)

// useOneOf lists the valid words, of which there are at least two.
func useOneOf(words []string) error {
	last := len(words) - 1
	return fmt.Errorf("use %s or %s", strings.Join(words[:last], ", "), words[last])
}

func parseSwitch(v string, to *bool) error {
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

func readRules(path string) (failure.Rules, error) {
	data, err := input.File(path, 1<<20)
	if err != nil {
		return nil, err
	}
	return failure.ParseRules(data)
}

func parseTime(v string, to *time.Duration) error {
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

// IsLoopback reports whether the address, HOST:PORT, cannot be reached from other
// machines. Anybody who reaches the proxy can send requests through it.
func IsLoopback(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

var units = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

// parseSize parses a number of bytes with an optional unit.
func parseSize(v string) (int64, error) {
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
