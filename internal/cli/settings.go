package cli

import (
	"github.com/spf13/cobra"

	"imagebreaker/internal/config"
)

// addSettings adds a flag for each setting to the command. The function that it
// returns loads the configuration once the flags are parsed.
func addSettings(cmd *cobra.Command, getenv func(string) string) func() (config.Config, error) {
	given := map[string]string{}
	cmd.Flags().SortFlags = false
	for _, s := range config.Settings() {
		flag := cmd.Flags().VarPF(settingFlag{s, given}, s.Name, "", s.Usage+" ["+s.Variable()+"]")
		if s.Switch {
			flag.NoOptDefVal = "on"
		}
		switch {
		case s.IsFile():
			completeFlag(cmd, s.Name, completeFiles)
		case len(s.Words) > 0:
			completeFlag(cmd, s.Name, completeWords(s.Words))
		}
	}
	return func() (config.Config, error) { return config.Load(given, getenv) }
}

// takesSettings reports whether the command has the flags of the settings.
func takesSettings(cmd *cobra.Command) bool { return cmd.Flags().Lookup("mode") != nil }

// settingFlag is the pflag.Value of a setting. It only records what was given;
// package config validates it later, so that --help works beside an invalid value.
type settingFlag struct {
	config.Setting
	given map[string]string
}

func (f settingFlag) Set(value string) error {
	f.given[f.Name] = value
	return nil
}

func (f settingFlag) String() string { return f.Default }

func (f settingFlag) Type() string {
	if f.Switch {
		return "bool" // the help then shows that its value is optional
	}
	return f.Value
}
