package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"imagebreaker/internal/config"
)

// man prints the manual page, for man -l and for packages.
func man(_ context.Context, env Env) int {
	if len(env.Args) > 0 {
		return mistake(env, "man takes no arguments")
	}
	b := readBuild()
	day, _, _ := strings.Cut(b.time, "T") // the build's day would make two builds differ
	manPage(env.Stdout, day, b.version, shownCommands())
	return exitOK
}

func manPage(w io.Writer, day, version string, commands []shownCommand) {
	fmt.Fprintf(w, ".TH IMAGEBREAKER 1 \"%s\" \"imagebreaker %s\"\n", day, version)
	fmt.Fprintf(w, ".SH NAME\nimagebreaker \\- %s\n.SH SYNOPSIS\n", roff(purpose))
	for i, c := range commands {
		if i > 0 {
			fmt.Fprint(w, ".br\n")
		}
		fmt.Fprintln(w, manBold("imagebreaker "+c.name, c.args))
	}
	fmt.Fprintf(w, `.SH DESCRIPTION
A local proxy between an agent and the API of its model. It forwards the traffic
untouched. When the API refuses an image that it can never process, the proxy
remembers it and answers repeats of the request itself, or has later requests go
without the image, so that the session goes on.
.SH COMMANDS
`)
	for _, c := range commands {
		fmt.Fprintf(w, ".TP\n%s\n%s\n", manBold(c.name, c.args), roff(c.does))
	}
	manSettings(w)
	manHelp(w, commands)
	fmt.Fprint(w, manEnd)
}

func manSettings(w io.Writer) {
	fmt.Fprint(w, ".SH SETTINGS\nThey are settings of serve and run. A flag wins over its environment variable.\n")
	for _, s := range config.Settings() {
		fmt.Fprintf(w, ".TP\n%s\n%s.\nDefault: %s.\nVariable: %s.\n",
			manBold("--"+s.Name, placeholder(s)), roff(s.Usage), roff(s.Default), roff(s.Variable()))
	}
}

// manBold is a line that begins with a name.
func manBold(name, rest string) string {
	return strings.TrimSpace(`\fB` + roff(name) + `\fR ` + roff(rest))
}

// manHelp gives the commands' own pages of help as they are.
func manHelp(w io.Writer, commands []shownCommand) {
	fmt.Fprint(w, ".SH \"FLAGS OF OTHER COMMANDS\"\n")
	for _, c := range commands {
		if c.help == "" {
			continue
		}
		fmt.Fprintf(w, ".SS %s\n.nf\n", roff(c.name))
		for line := range strings.Lines(c.help) {
			fmt.Fprintf(w, "%s\n", roff(strings.TrimSuffix(line, "\n")))
		}
		fmt.Fprint(w, ".fi\n")
	}
}

const manEnd = `.SH ENVIRONMENT
Beside the variables of the settings, HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE are
honoured, and AWS_REGION and AWS_DEFAULT_REGION name the region of Amazon Bedrock.
.SH FILES
The event log is $XDG_STATE_HOME/imagebreaker/events.jsonl, or
~/.local/state/imagebreaker/events.jsonl; on macOS
~/Library/Logs/imagebreaker/events.jsonl, on Windows
%LocalAppData%\eimagebreaker\eevents.jsonl.
Beside it, repairs.json holds the sums of replaced images.
.SH "EXIT STATUS"
0 when all went well, 1 when something failed, 2 for a command line or an
environment that cannot be right; of run, the status of its command.
`

// roff is a line of text as roff reads it: nothing in it is a request or an
// escape, and what is not ASCII is spelled out.
func roff(s string) string {
	var b strings.Builder
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '"':
			b.WriteString(`\(dq`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
