package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const completionHelp = `Prints a script that completes imagebreaker's command lines. This line gives it to a
shell:

    bash        source <(imagebreaker completion bash)
    zsh         source <(imagebreaker completion zsh)
    fish        imagebreaker completion fish | source
    powershell  imagebreaker completion powershell | Out-String | iex

It goes into ~/.bashrc, behind the package bash-completion; into ~/.zshrc, behind
compinit; into ~/.config/fish/config.fish; or into $PROFILE.

Exit status: 0 when printed, 2 for a mistake.`

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
		Short:                 "Print a script that completes command lines",
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

// offer has shells complete a flag's value.
func offer(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // no such flag, or twice
	}
}

// words has shells offer the words, and nothing else.
func words(words []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// files has shells offer files, as they do by themselves.
func files(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}
