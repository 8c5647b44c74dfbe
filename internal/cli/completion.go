package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
)

const completionUsage = `imagebreaker completion bash|zsh|fish

Prints a script that completes imagebreaker's command lines. To have it in every shell:

  bash   source <(imagebreaker completion bash)                     in ~/.bashrc
  zsh    source <(imagebreaker completion zsh)                      in ~/.zshrc, after compinit
  fish   imagebreaker completion fish >~/.config/fish/completions/imagebreaker.fish

Exit status: 0 when printed, 2 for a mistake.
`

// completion prints a shell's completion script.
func completion(_ context.Context, env Env) int {
	scripts := map[string]func(io.Writer, []shownCommand){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	if len(env.Args) == 1 {
		if write, ok := scripts[env.Args[0]]; ok {
			write(env.Stdout, shownCommands())
			return exitOK
		}
		if env.Args[0] == "--help" || env.Args[0] == "-h" {
			fmt.Fprint(env.Stdout, completionUsage)
			return exitOK
		}
	}
	return mistake(env, "completion: %q; name one shell: bash, zsh or fish", strings.Join(env.Args, " "))
}

// quoted is a text as a word for bash and zsh.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// commandWords are what can be the first word; help is a command without a
// line of its own in the help.
func commandWords(commands []shownCommand) []string {
	var out []string
	for _, c := range commands {
		out = append(out, c.name)
	}
	return append(out, "help")
}
