package cli

import (
	"flag"
	"io"
)

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
