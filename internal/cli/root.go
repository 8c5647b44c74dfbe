package cli

import (
	"github.com/spf13/cobra"
)

// Groups of commands in the help.
const (
	groupRun  = "run"
	groupSee  = "see"
	groupMore = "more"
)

// newRoot returns the tree of all commands. Without a command it serves.
func newRoot(env Env) *cobra.Command {
	root := serveCommand(env)
	root.Use, root.GroupID = "imagebreaker [flags]", ""
	root.Short = "stops one bad image from failing an agent's session again and again"
	root.Long = `A local proxy between an agent and the API of its model. It forwards the traffic
untouched. When the API refuses an image that it can never process, the proxy
remembers it and short-circuits repeats of the request, or has later requests go
with a placeholder instead of the image, so that the session goes on.

Without a command it serves. Each flag of serve and run has an environment
variable, over which it wins.`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.AddGroup(&cobra.Group{ID: groupRun, Title: "Run it:"}, &cobra.Group{ID: groupSee, Title: "See what happened:"}, &cobra.Group{ID: groupMore, Title: "More:"})
	root.AddCommand(serveCommand(env), runCommand(env), demoCommand(), eventsCommand(env), inspectCommand(env), explainCommand(env),
		completionCommand(), manCommand(), versionCommand())
	addHelp(root)
	return root
}

// addHelp adds cobra's help command, less its leniency: an unknown command is a
// mistake.
func addHelp(root *cobra.Command) {
	root.SetHelpCommandGroupID(groupMore)
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.RunE = func(_ *cobra.Command, args []string) error {
		about, rest, _ := root.Find(args)
		if len(rest) > 0 {
			return noCommand(about, rest[0])
		}
		about.InitDefaultHelpFlag()
		return about.Help()
	}
}

// below are all commands of a tree that are to be seen, each before its own.
func below(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			all = append(all, below(c)...)
		}
	}
	return all
}
