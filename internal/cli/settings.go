package cli

import (
	"github.com/spf13/cobra"

	"imagebreaker/internal/config"
)

// addSettings gives the command a flag for each setting. The function that it
// returns reads them all.
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
			offer(cmd, s.Name, files)
		case len(s.Words) > 0:
			offer(cmd, s.Name, words(s.Words))
		}
	}
	return func() (config.Config, error) { return config.Load(given, getenv) }
}

// takesSettings tells whether the command has the flags of the settings.
func takesSettings(cmd *cobra.Command) bool { return cmd.Flags().Lookup("mode") != nil }

// settingFlag notes what the flag of a setting was given. What is wrong with it
// is said later, by package config: a request for help comes first.
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
		return "bool" // for the help: its value may be left out
	}
	return f.Value
}
