package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"imagebreaker/internal/config"
)

// errHelp says that the help was asked for.
var errHelp = flag.ErrHelp

// configure reads the environment, then the flags.
func configure(env Env) (config.Config, error) {
	fs, given := newFlags("serve"), map[string]string{}
	for _, s := range config.Settings() {
		note := func(v string) error { given[s.Name] = v; return nil }
		if s.Switch {
			fs.BoolFunc(s.Name, s.Usage, note)
			continue
		}
		fs.Func(s.Name, s.Usage, note)
	}
	if err := fs.Parse(env.Args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return config.Config{}, errHelp
		}
		return config.Config{}, fmt.Errorf("%w; --help lists the flags", err)
	}
	if fs.NArg() > 0 {
		return config.Config{}, fmt.Errorf("unexpected argument %q; settings are given as --name value", fs.Arg(0))
	}
	return config.Load(given, env.Getenv)
}

// newFlags is a set of flags whose mistakes the caller tells.
func newFlags(name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set
}

// operands reads the flags out of args, wherever they stand, and returns the
// rest. Package flag by itself stops at the first operand.
func operands(set *flag.FlagSet, args []string) ([]string, error) {
	var out []string
	for {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		rest := set.Args()
		read := len(args) - len(rest)
		if len(rest) == 0 || read > 0 && args[read-1] == "--" { // nothing behind -- is a flag
			return append(out, rest...), nil
		}
		out, args = append(out, rest[0]), rest[1:]
	}
}
