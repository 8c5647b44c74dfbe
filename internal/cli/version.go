package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is how the program was built. All but the version may be zero: unknown.
type build struct {
	version  string // the module's, or the commit's first digits
	revision string // the commit
	time     string // the commit's, RFC 3339
	modified bool   // with uncommitted changes
}

// buildOf reads what the go command has stamped into the program: with go install
// of a version only that, from a clone the commit, too.
func buildOf(info *debug.BuildInfo) build {
	b := build{version: "devel"}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value
		case "vcs.time":
			b.time = s.Value
		case "vcs.modified":
			b.modified = s.Value == "true"
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.version = v
	} else if b.revision != "" {
		b.version = b.revision[:min(12, len(b.revision))]
	}
	return b
}

func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: "unknown"}
	}
	return buildOf(info)
}

// buildVersion returns the module's version, or the commit it was built from.
func buildVersion() string { return readBuild().version }

// String returns what the version command prints: one line, and a second one if
// the commit is known.
func (b build) String() string {
	out := fmt.Sprintf("imagebreaker %s (%s, %s/%s)\n", b.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if b.revision == "" {
		return out
	}
	out += "commit " + b.revision
	if b.time != "" {
		out += " of " + b.time
	}
	if b.modified {
		out += ", with changes that are in no commit"
	}
	return out + "\n"
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", GroupID: groupMore, Args: noArguments, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), readBuild())
			return failing(err)
		},
	}
}
