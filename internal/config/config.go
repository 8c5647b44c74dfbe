// Package config turns flags and environment variables into the configuration of
// the proxy, and rejects invalid values. It neither parses command lines nor serves.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"imagebreaker/eventlog"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/upstream"
)

// Config is the configuration that the settings result in. Load makes one.
type Config struct {
	Proxy  proxy.Config
	Listen string // HOST:PORT
	Remote bool   // Listen may be an address that other machines can reach
	Events string // path of the event log; empty only in mode off
	State  string // path of the file that remembers substituted images; empty: only in memory

	upstream string            // --upstream as given
	given    map[string]string // the flag or variable by which a setting was set
}

// Given reports whether the user has set the setting.
func (c Config) Given(setting string) bool {
	_, ok := c.given[setting]
	return ok
}

// Name returns the setting as the user knows it: the flag or the variable that set
// it, by default the flag.
func (c Config) Name(setting string) string { return cmp.Or(c.given[setting], "--"+setting) }

// LeavesOpen reports whether --upstream leaves the provider to its default.
func (c Config) LeavesOpen(provider string) bool {
	if IsSingle(c.Proxy.Upstreams) {
		return false
	}
	for part := range strings.SplitSeq(c.upstream, ",") {
		if strings.HasPrefix(strings.TrimSpace(part), provider+"=") {
			return false
		}
	}
	return true
}

// IsSingle reports whether all providers have the same upstream.
func IsSingle(ups upstream.Set) bool {
	for _, u := range ups {
		if *u != *ups["anthropic"] {
			return false
		}
	}
	return true
}

// Load returns the configuration. A setting has the value of its flag, by the
// flag's name, else of its environment variable unless that is empty, else its
// default. An error is one line that names the setting and a remedy, for the user.
func Load(flags map[string]string, getenv func(string) string) (Config, error) {
	c, noEvents := defaults(getenv)
	for _, s := range settings {
		value, name := getenv(s.Variable()), s.Variable()
		if v, ok := flags[s.Name]; ok {
			value, name = v, "--"+s.Name
		} else if value == "" {
			continue
		}
		c.given[s.Name] = name
		if err := s.set(&c, value); err != nil {
			return c, fmt.Errorf("%s %q: %w", name, Redact(value), err)
		}
	}
	if !c.Remote && !IsLoopback(c.Listen) {
		return c, fmt.Errorf("%s %q: %w", c.Name("listen"), Redact(c.Listen), errNotLoopback)
	}
	c.Proxy.Upstreams.InRegion(cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")))
	if c.Events == "" && noEvents != nil && c.Proxy.Mode != policy.Off {
		return c, noEvents
	}
	return c, nil
}

var errNotLoopback = errors.New("use a loopback address: 127.0.0.1, [::1] or localhost (or --allow-remote, if others are meant to use it)")

// defaults returns the default configuration, and an error if there is no default
// place for the event log.
func defaults(getenv func(string) string) (Config, error) {
	ups, _ := upstream.Parse("") // cannot fail
	events, err := defaultEvents(getenv)
	state := ""
	if events != "" {
		state = filepath.Join(filepath.Dir(events), "repairs.json")
	}
	return Config{
		Listen: "127.0.0.1:8788", Events: events, State: state, given: map[string]string{},
		Proxy: proxy.Config{Upstreams: ups, Mode: policy.On},
	}, err
}

// EventsPath returns the path of the event log: the given one, else that of the
// environment, else the platform's default. Empty ones do not count.
func EventsPath(given string, getenv func(string) string) (string, error) {
	if path := cmp.Or(given, getenv("IMAGEBREAKER_EVENTS")); path != "" {
		return path, nil
	}
	return defaultEvents(getenv)
}

func defaultEvents(getenv func(string) string) (string, error) {
	path, err := eventlog.DefaultPath(getenv, runtime.GOOS)
	if err != nil {
		err = fmt.Errorf("%w with --events FILE", err)
	}
	return path, err
}

// Redact returns a value that is safe to quote in a message: shortened, and without
// the parts of a URL that may hold a secret.
func Redact(value string) string {
	if scheme, rest, ok := strings.Cut(value, "://"); ok && strings.ContainsAny(rest, "@?#") {
		value = scheme + "://…"
	} else if at := strings.LastIndexByte(value, '@'); at >= 0 { // an address without its scheme
		value = "…" + value[at:]
	}
	if len(value) > 100 {
		return value[:100] + "…"
	}
	return value
}
