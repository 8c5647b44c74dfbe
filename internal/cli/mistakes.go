package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"imagebreaker/internal/config"
)

// checkCommand rejects an unknown command before cobra parses, and complains
// about, the flags that follow it.
func checkCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	if cmd, _, _ := root.Find(args[:1]); cmd == root {
		return unknownCommand(root, args[0])
	}
	return nil
}

// unknownCommand suggests similar commands of the parent, or lists them all.
func unknownCommand(parent *cobra.Command, name string) error {
	if near := parent.SuggestionsFor(name); len(near) > 0 && name != "" {
		return fmt.Errorf("unknown command %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	var names []string
	for _, c := range parent.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("unknown command %q; the commands are %s", name, strings.Join(names, ", "))
}

// noArguments rejects positional arguments.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if takesSettings(cmd) {
		return fmt.Errorf("unexpected argument %q; settings are given as --name value, switches as --name or --name=off", args[0])
	}
	return fmt.Errorf("unexpected argument %q: %s takes no arguments", args[0], cmd.Name())
}

// flagError rewords an error of pflag, which may quote a secret in a value.
func flagError(_ *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("unknown flag -%s", nameOf(unknown.GetSpecifiedShortnames()))
	case errors.As(err, &unknown):
		err = fmt.Errorf("unknown flag --%s", unknown.GetSpecifiedName())
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool":
		err = fmt.Errorf("--%s %q: use true or false", invalid.GetFlag().Name, config.Redact(invalid.GetValue()))
	case errors.As(err, &invalid):
		err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, config.Redact(invalid.GetValue()), invalid.Unwrap())
	case errors.As(err, &syntax):
		err = fmt.Errorf("bad flag %s", nameOf(syntax.GetSpecifiedFlag()))
	}
	return fmt.Errorf("%w; --help lists the flags", err)
}

// nameOf returns a flag without its value.
func nameOf(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}
