// Command imagebreaker is a local proxy that keeps one bad image from failing
// an agent's session again and again. See README.md.
package main

import (
	"context"
	"os"

	"imagebreaker/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), cli.Env{
		Args: os.Args[1:], Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, DieOf: cli.DieOf,
	}))
}
