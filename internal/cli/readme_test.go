package cli

import (
	"os"
	"strings"
	"testing"

	"imagebreaker/internal/config"
)

// The README's tables are what users go by: every setting and every command
// stands there as it is.
func TestReadmeIsComplete(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(b)
	for _, s := range config.Settings() {
		row := "| `--" + s.Name + "` | `" + s.Variable() + "` | "
		_, rest, ok := strings.Cut(readme, row)
		if !ok {
			t.Errorf("no row %q", row)
			continue
		}
		if cell, _, _ := strings.Cut(rest, " | "); strings.Trim(cell, "`") != s.Default && !strings.HasPrefix(cell, "see below") {
			t.Errorf("--%s: the README says %s, the help %s", s.Name, cell, s.Default)
		}
	}
	for _, c := range tree().Commands() {
		if !strings.Contains(readme, "imagebreaker "+c.Name()) && !strings.Contains(readme, "go run . "+c.Name()) && c.Name() != "serve" && c.Name() != "help" {
			t.Errorf("no word of the command %s", c.Name())
		}
	}
}
