package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const completionHelp = `Prints a completion script for a shell. To load it:

    bash        source <(imagebreaker completion bash)
    zsh         source <(imagebreaker completion zsh)
    fish        imagebreaker completion fish | source
    powershell  imagebreaker completion powershell | Out-String | iex

Put that line into ~/.bashrc (bash needs the package bash-completion), into ~/.zshrc
after compinit, into ~/.config/fish/config.fish, or into $PROFILE.

Exit status: 0 on success, 2 for a usage error.`

func completionCommand() *cobra.Command {
	scripts := map[string]func(root *cobra.Command, w io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
		"zsh":        (*cobra.Command).GenZshCompletion,
	}
	shells := slices.Sorted(maps.Keys(scripts))
	return &cobra.Command{
		Use:                   "completion " + strings.Join(shells, "|"),
		Short:                 "Print a shell completion script",
		Long:                  completionHelp,
		GroupID:               groupMore,
		ValidArgs:             shells,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && scripts[args[0]] != nil {
				return failing(scripts[args[0]](cmd.Root(), cmd.OutOrStdout()))
			}
			return fmt.Errorf("name one shell: %s", strings.Join(shells, ", "))
		},
	}
}

// completeFlag sets how shells complete the value of a flag.
func completeFlag(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // there is no such flag, or it has completions
	}
}

// completeWords offers the words and nothing else.
func completeWords(words []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completeFiles leaves it to the shell to complete file names.
func completeFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}
