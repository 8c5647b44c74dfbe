// Package config turns flags and environment variables into the settings of the
// proxy, and refuses values that cannot be right. It knows neither how a command
// line is parsed nor what serves.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"imagebreaker/eventlog"
	"imagebreaker/internal/proxy"
)

// Config is what the settings come to. Load makes one.
type Config struct {
	Proxy  proxy.Config
	Listen string // HOST:PORT
	Remote bool   // Listen may be an address that other machines reach
	Events string // path of the event log; empty only in mode off
	State  string // path of the file that remembers substituted images; empty: they are remembered in memory

	upstream string            // as given
	given    map[string]string // what set each setting: its flag or its variable
}

// Given tells whether the user has set the setting.
func (c Config) Given(setting string) bool {
	_, ok := c.given[setting]
	return ok
}

// Name is how the user knows the setting: by the flag or the variable that set it.
func (c Config) Name(setting string) string { return cmp.Or(c.given[setting], "--"+setting) }

// LeavesOpen tells whether the upstream of the provider was left to its default.
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

// IsSingle tells whether all providers have the same upstream.
func IsSingle(ups proxy.Upstreams) bool {
	for _, u := range ups {
		if *u != *ups["anthropic"] {
			return false
		}
	}
	return true
}

// Load reads the settings: the flags that were given, by name, then for the
// others their environment variables, of which an empty one counts as not set.
// Its error is one line for whoever made the mistake.
func Load(flags map[string]string, getenv func(string) string) (Config, error) {
	c, noPath := defaults(getenv)
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
		return c, fmt.Errorf("%s %q: %w", c.Name("listen"), Redact(c.Listen), errNoLoopback)
	}
	c.Proxy.Upstreams.InRegion(cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")))
	if c.Events == "" && noPath != nil && c.Proxy.Mode != proxy.Off {
		return c, noPath
	}
	return c, nil
}

var errNoLoopback = errors.New("use a loopback address: 127.0.0.1, [::1] or localhost (or --allow-remote, if others are meant to use it)")

// defaults are the settings that need a value even if nobody gives one. The error
// tells that there is no place for the event log.
func defaults(getenv func(string) string) (Config, error) {
	ups, _ := proxy.ParseUpstreams("") // the built-in ones
	events, err := defaultEvents(getenv)
	state := ""
	if events != "" {
		state = filepath.Join(filepath.Dir(events), "repairs.json")
	}
	return Config{
		Listen: "127.0.0.1:8788", Events: events, State: state, given: map[string]string{},
		Proxy: proxy.Config{Upstreams: ups, Mode: proxy.On},
	}, err
}

// EventsPath is where the event log is: at the given path, unless that is empty,
// else where the environment says, else in the platform's folder for state.
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

// Redact is a value as a message may quote it: shortened, and without the user,
// the query and all that an address may have a secret in.
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
