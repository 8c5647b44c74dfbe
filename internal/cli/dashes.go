package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// twoDashes accepts a flag with one dash, -mode, as versions before the tree of
// commands did. It goes with the next release.
func twoDashes(root *cobra.Command, args []string) []string {
	flags := map[string]*pflag.Flag{"help": {NoOptDefVal: "true"}}
	for _, c := range below(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = f })
	}
	out := append([]string{}, args...) // not nil: cobra would take the process's
	for i := 0; i < len(out) && out[i] != "--"; i++ {
		if !strings.HasPrefix(out[i], "-") {
			continue
		}
		flag, ok := flags[strings.TrimLeft(nameOf(out[i]), "-")]
		if ok && !strings.HasPrefix(out[i], "--") {
			out[i] = "-" + out[i]
		}
		if ok && flag.NoOptDefVal == "" && !strings.Contains(out[i], "=") {
			i++ // its value, whatever that begins with
		}
	}
	return out
}
