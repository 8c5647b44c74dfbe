package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long: `Prints the manual page, one for all commands. To read it:

    imagebreaker man | man -l -`,
		GroupID: groupMore, Args: noArguments, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := readBuild()
			day, _, _ := strings.Cut(b.time, "T") // the current date would make builds irreproducible
			_, err := cmd.OutOrStdout().Write(md2man.Render(manual(cmd.Root(), day, b.version)))
			return failing(err)
		},
	}
}

// manual returns one page for the whole tree, in Markdown. Package cobra/doc, which
// uses the same renderer, makes a page per command and dates it by month only.
func manual(root *cobra.Command, day, version string) []byte {
	var page bytes.Buffer
	fmt.Fprintf(&page, "%% \"IMAGEBREAKER\" \"1\" %q \"imagebreaker %s\" \"User Commands\"\n", day, version)
	fmt.Fprintf(&page, "# NAME\nimagebreaker \\- %s\n\n# SYNOPSIS\n", root.Short)
	for _, c := range walk(root) {
		fmt.Fprintf(&page, "**%s**  \n", c.UseLine()) // two spaces break the line
	}
	fmt.Fprintf(&page, "\n# DESCRIPTION\n%s\n\n# OPTIONS\nOf serve and run:\n\n", root.Long)
	manFlags(&page, root)
	fmt.Fprint(&page, "# COMMANDS\n")
	for _, c := range walk(root)[1:] {
		fmt.Fprintf(&page, "### %s\n\n%s\n\n", c.UseLine(), cmp.Or(c.Long, c.Short+"."))
		if !takesSettings(c) {
			manFlags(&page, c)
		}
	}
	fmt.Fprint(&page, manEnd)
	return page.Bytes()
}

// manFlags writes the command's flags as a definition list.
func manFlags(page *bytes.Buffer, c *cobra.Command) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		if s, ok := f.Value.(settingFlag); ok {
			value, usage = s.Value, fmt.Sprintf("%s. Default: %s. Variable: %s.", s.Usage, s.Default, s.Variable())
		}
		if f.NoOptDefVal == "on" {
			value = "[=" + value + "]"
		} else {
			value = " " + value
		}
		fmt.Fprintf(page, "**--%s**%s\n:   %s\n\n", f.Name, value, usage)
	})
}

const manEnd = `# ENVIRONMENT
In addition to the variables of the flags, HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE
are honoured, and AWS_REGION or AWS_DEFAULT_REGION is the region of Amazon Bedrock.

# FILES
The event log is $XDG_STATE_HOME/imagebreaker/events.jsonl, or
~/.local/state/imagebreaker/events.jsonl; on macOS
~/Library/Logs/imagebreaker/events.jsonl, on Windows
%LocalAppData%\\imagebreaker\\events.jsonl.
Next to it, repairs.json holds the hashes of substituted images.

# EXIT STATUS
0 on success, 1 for a failure, 2 for an invalid command line or environment. That of
run is the status of its command.
`
