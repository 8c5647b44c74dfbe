package cli

import (
	"fmt"
	"io"
	"strings"
)

// zshCompletion writes a script that can be sourced, or be the file
// _imagebreaker in a folder of $fpath. It must have no variable of the name
// commands: in that zsh keeps what it completes behind --.
func zshCompletion(w io.Writer, commands []shownCommand) {
	fmt.Fprint(w, "#compdef imagebreaker\n_imagebreaker() {\n\tlocal name=serve\n\tlocal -a names\n\tnames=(\n")
	for _, c := range commands {
		fmt.Fprintf(w, "\t\t%s\n", quoted(c.name+":"+c.does))
	}
	fmt.Fprintf(w, `		'help:list the commands and settings'
	)
	if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
		_describe -t commands command names
		return
	fi
	case $words[2] in
	%s)
		name=$words[2]
		shift words
		((CURRENT--))
		;;
	esac
	case $name in
`, strings.Join(commandWords(commands), "|"))
	for _, c := range commands {
		fmt.Fprintf(w, "\t%s)\n%s\t\t_arguments%s\n\t\t;;\n", c.name, zshChild(c), zshSpecs(c))
	}
	fmt.Fprint(w, `	esac
}
if [[ $funcstack[1] == _imagebreaker ]]; then
	_imagebreaker "$@"
else
	compdef _imagebreaker imagebreaker
fi
`)
}

// zshChild completes what stands behind --, for a command that runs others.
func zshChild(c shownCommand) string {
	if !c.takesCommand() {
		return ""
	}
	return `		local -i dashes=${words[(i)--]}
		if ((dashes < CURRENT)); then
			shift $dashes words
			((CURRENT -= dashes))
			_normal
			return
		fi
`
}

// zshSpecs are what _arguments needs to know of a command.
func zshSpecs(c shownCommand) string {
	var specs []string
	for _, f := range c.flags {
		specs = append(specs, zshFlag(f))
	}
	switch {
	case c.takesFiles():
		specs = append(specs, "*:file:_files")
	case c.words() != nil:
		specs = append(specs, ":"+c.name+":"+zshChoice(c.words()))
	}
	var b strings.Builder
	for _, s := range specs {
		b.WriteString(" \\\n\t\t\t" + quoted(s))
	}
	return b.String()
}

func zshFlag(f shownFlag) string {
	text := "[" + strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(f.help) + "]"
	switch {
	case f.value == "":
		return "--" + f.name + text
	case f.isFile():
		return "--" + f.name + "=" + text + ":file:_files"
	}
	return "--" + f.name + "=" + text + ":" + f.name + ":" + zshChoice(f.words)
}

// zshChoice is a choice of words; of none, there is only a heading.
func zshChoice(words []string) string {
	if len(words) == 0 {
		return " "
	}
	return "(" + strings.Join(words, " ") + ")"
}
