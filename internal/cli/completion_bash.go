package cli

import (
	"fmt"
	"io"
	"strings"
)

// bashCompletion writes a script for bash 3.2, which macOS has, and newer. Bash
// takes --mode=on for three words.
func bashCompletion(w io.Writer, commands []shownCommand) {
	names := strings.Join(commandWords(commands), " ")
	fmt.Fprintf(w, `# bash completion for imagebreaker
_imagebreaker_words() { COMPREPLY=($(compgen -W "$1" -- "$2")); }
_imagebreaker_files() {
	local IFS=$'\n'
	COMPREPLY=($(compgen -f -- "$1"))
	compopt -o filenames 2>/dev/null
}
_imagebreaker() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=serve i
	COMPREPLY=()
	if [[ $cur == '=' ]]; then
		cur=''
	elif [[ $prev == '=' ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	if ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then
		_imagebreaker_words %s "$cur"
		return
	fi
	case ${COMP_WORDS[1]} in
	%s) command=${COMP_WORDS[1]} ;;
	esac
`, quoted(names), strings.ReplaceAll(names, " ", " | "))
	bashChildren(w, commands)
	bashValues(w, commands)
	bashRest(w, commands)
	fmt.Fprint(w, "}\ncomplete -F _imagebreaker imagebreaker\n")
}

// bashChildren completes what stands behind --, for commands that run others.
func bashChildren(w io.Writer, commands []shownCommand) {
	for _, c := range commands {
		if !c.takesCommand() {
			continue
		}
		fmt.Fprintf(w, `	if [[ $command == %s ]]; then
		for ((i = 2; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} == -- ]] || continue
			if ((i == COMP_CWORD - 1)); then
				COMPREPLY=($(compgen -c -- "$cur"))
			else
				_imagebreaker_files "$cur"
			fi
			return
		done
	fi
`, c.name)
	}
}

// bashValues completes the values of flags.
func bashValues(w io.Writer, commands []shownCommand) {
	fmt.Fprint(w, "\tcase \"$command $prev\" in\n")
	for _, c := range commands {
		for _, f := range c.flags {
			if f.value == "" {
				continue
			}
			does := "" // nothing is known of it
			if f.isFile() {
				does = `_imagebreaker_files "$cur"; `
			} else if len(f.words) > 0 {
				does = "_imagebreaker_words " + quoted(strings.Join(f.words, " ")) + ` "$cur"; `
			}
			fmt.Fprintf(w, "\t'%s --%s') %sreturn ;;\n", c.name, f.name, does)
		}
	}
	fmt.Fprint(w, "\tesac\n")
}

// bashRest completes flags and operands.
func bashRest(w io.Writer, commands []shownCommand) {
	fmt.Fprint(w, "\tcase \"$command $cur\" in\n")
	for _, c := range commands {
		words := "--help"
		for _, f := range c.flags {
			words += " --" + f.name
		}
		if c.help == "" && len(c.flags) == 0 {
			words = ""
		}
		fmt.Fprintf(w, "\t'%s -'*) _imagebreaker_words %s \"$cur\" ;;\n", c.name, quoted(words))
		if c.takesFiles() {
			fmt.Fprintf(w, "\t'%s '*) _imagebreaker_files \"$cur\" ;;\n", c.name)
		} else if words := c.words(); words != nil {
			fmt.Fprintf(w, "\t'%s '*) _imagebreaker_words %s \"$cur\" ;;\n", c.name, quoted(strings.Join(words, " ")))
		}
	}
	fmt.Fprint(w, "\tesac\n")
}
