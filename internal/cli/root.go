package cli

import (
	"github.com/spf13/cobra"
)

// Groups of commands, as the help shows them.
const (
	groupProxy    = "proxy"
	groupDiagnose = "diagnose"
	groupMore     = "more"
)

// newRoot returns the tree of all commands. The root itself serves.
func newRoot(env Env) *cobra.Command {
	root := serveCommand(env)
	root.Use, root.GroupID = "imagebreaker [flags]", ""
	root.Short = "stops one bad image from failing an agent's session again and again"
	root.Long = `imagebreaker is a local proxy between an agent and the LLM API that it uses. It
forwards traffic unmodified. When the API rejects an image that it can never
process, imagebreaker remembers the image: it short-circuits repeats of the failed
request, and forwards later ones with a placeholder in the image's place, so that
the session goes on.

Without a command, it serves. Each flag of serve and run can also be set by its
environment variable; the flag takes precedence.`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.AddGroup(&cobra.Group{ID: groupProxy, Title: "Proxy:"}, &cobra.Group{ID: groupDiagnose, Title: "Diagnosis:"}, &cobra.Group{ID: groupMore, Title: "More:"})
	root.AddCommand(serveCommand(env), runCommand(env), demoCommand(), eventsCommand(env), inspectCommand(env), explainCommand(env),
		completionCommand(), manCommand(), versionCommand())
	addHelp(root)
	return root
}

// addHelp adds cobra's help command, which succeeds even for an unknown command,
// and makes that a usage error.
func addHelp(root *cobra.Command) {
	root.SetHelpCommandGroupID(groupMore)
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.RunE = func(_ *cobra.Command, args []string) error {
		about, rest, _ := root.Find(args)
		if len(rest) > 0 {
			return unknownCommand(about, rest[0])
		}
		about.InitDefaultHelpFlag()
		return about.Help()
	}
}

// walk returns cmd and all visible commands below it, parents first.
func walk(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			all = append(all, walk(c)...)
		}
	}
	return all
}
