package cli

import (
	"fmt"
	"io"
	"strings"
)

// fishCompletion writes a script for fish 3.4 and newer.
func fishCompletion(w io.Writer, commands []shownCommand) {
	fmt.Fprintf(w, `# fish completion for imagebreaker
function __imagebreaker_is -d 'whether the command is one of these'
    set -l words (commandline -opc)
    set -l command serve
    if set -q words[2]; and contains -- $words[2] %s
        set command $words[2]
    end
    contains -- $command $argv
end
function __imagebreaker_first -d 'whether the first word is being typed'
    test (count (commandline -opc)) -eq 1
end
complete -c imagebreaker -f
`, strings.Join(commandWords(commands), " "))
	for _, c := range commands {
		fmt.Fprintf(w, "complete -c imagebreaker -n __imagebreaker_first -a %s -d %s\n", c.name, fishQuoted(c.does))
	}
	fmt.Fprint(w, "complete -c imagebreaker -n __imagebreaker_first -a help -d 'list the commands and settings'\n")
	for _, c := range commands {
		for _, rule := range fishRules(c) {
			fmt.Fprintf(w, "complete -c imagebreaker -n '__imagebreaker_is %s' %s\n", c.name, rule)
		}
	}
}

// fishRules are the arguments of a command's complete lines.
func fishRules(c shownCommand) []string {
	var out []string
	for _, f := range c.flags {
		out = append(out, "-l "+f.name+fishValue(f)+" -d "+fishQuoted(f.help))
	}
	switch {
	case c.takesCommand():
		out = append(out, "-a '(__fish_complete_command)'", "-F")
	case c.takesFiles():
		out = append(out, "-F")
	case c.words() != nil:
		out = append(out, "-a "+fishQuoted(strings.Join(c.words(), " ")))
	}
	return out
}

func fishValue(f shownFlag) string {
	switch {
	case f.value == "":
		return ""
	case f.isFile():
		return " -r -F"
	case len(f.words) > 0:
		return " -x -a " + fishQuoted(strings.Join(f.words, " "))
	}
	return " -x"
}

func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
