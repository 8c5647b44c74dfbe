// Command imagebreaker is a local proxy that keeps one bad image from failing
// an agent's session again and again. See README.md.
package main

import (
	"os"

	"imagebreaker/internal/cli"
)

func main() {
	os.Exit(cli.Main())
}
