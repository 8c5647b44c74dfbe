package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"imagebreaker/internal/config"
)

// shownFlag is a flag as completion and the manual page tell of it.
type shownFlag struct {
	name  string
	value string   // what stands for its value; empty: it is a switch
	words []string // the values that it can have, if they are few
	help  string
}

func (f shownFlag) isFile() bool { return f.value == "FILE" }

// shownCommand is a command as completion and the manual page tell of it.
type shownCommand struct {
	command
	help  string // its own page of help; empty: it has none
	flags []shownFlag
}

func (c shownCommand) takesFiles() bool   { return strings.Contains(c.args, "FILE") }
func (c shownCommand) takesCommand() bool { return strings.Contains(c.args, "CMD") }

// words are what its operand can be, if that is a choice of few: bash|zsh|fish,
// or [stats].
func (c shownCommand) words() []string {
	for operand := range strings.FieldsSeq(c.args) {
		operand = strings.Trim(operand, "[]")
		if operand != "flags" && strings.Trim(operand, "abcdefghijklmnopqrstuvwxyz|") == "" {
			return strings.Split(operand, "|")
		}
	}
	return nil
}

// shownCommands are all commands. What flags they take is read from the help
// that they print, so that no second list can differ from it.
func shownCommands() []shownCommand {
	var general bytes.Buffer
	usage(&general)
	var out []shownCommand
	for _, c := range commands() {
		shown := shownCommand{command: c, help: helpOf(c)}
		if shown.help == general.String() {
			shown.help, shown.flags = "", settingFlags()
		} else {
			shown.flags = flagsIn(shown.help)
		}
		out = append(out, shown)
	}
	return out
}

// helpOf is what a command prints when it is asked for help; empty if it takes
// no flags at all.
func helpOf(c command) string {
	ended, end := context.WithCancel(context.Background())
	end()
	var out bytes.Buffer
	none := func(string) string { return "" }
	if c.run(ended, Env{Args: []string{"--help"}, Getenv: none, Stdout: &out, Stderr: io.Discard}) != exitOK {
		return ""
	}
	return out.String()
}

// flagsIn finds the flags that a page of help lists.
func flagsIn(help string) []shownFlag {
	var out []shownFlag
	for line := range strings.Lines(help) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "--")
		if !ok || line == "" {
			continue
		}
		head, text, _ := strings.Cut(line, "  ")
		name, value, _ := strings.Cut(head, " ")
		out = append(out, shownFlag{name: name, value: value, help: strings.TrimSpace(text)})
	}
	return out
}

func settingFlags() []shownFlag {
	var out []shownFlag
	for _, s := range config.Settings() {
		out = append(out, shownFlag{name: s.Name, value: placeholder(s), words: slices.Clone(s.Words), help: s.Usage})
	}
	return out
}

// placeholder stands for the setting's value in texts.
func placeholder(s config.Setting) string {
	if s.Switch {
		return ""
	}
	return s.Value
}
