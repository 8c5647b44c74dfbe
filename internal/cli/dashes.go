package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// normalizeFlags rewrites -mode to --mode: package flag, which parsed the flags
// before cobra, took both. To be removed after one release.
func normalizeFlags(root *cobra.Command, args []string) []string {
	flags := map[string]*pflag.Flag{"help": {NoOptDefVal: "true"}}
	for _, c := range walk(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = f })
	}
	out := append([]string{}, args...) // never nil: cobra would read os.Args
	for i := 0; i < len(out) && out[i] != "--"; i++ {
		if !strings.HasPrefix(out[i], "-") {
			continue
		}
		flag, ok := flags[strings.TrimLeft(nameOf(out[i]), "-")]
		if ok && !strings.HasPrefix(out[i], "--") {
			out[i] = "-" + out[i]
		}
		if ok && flag.NoOptDefVal == "" && !strings.Contains(out[i], "=") {
			i++ // skip its value, even if that looks like a flag
		}
	}
	return out
}
