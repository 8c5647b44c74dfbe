package job_test

import (
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"imagebreaker/internal/cli"
)

// patience is how long a test waits for what takes milliseconds.
const patience = time.Minute

// quickExit keeps the race detector from sleeping a second at each exit.
const quickExit = "GORACE=atexit_sleep_ms=0"

// TestMain makes this test binary the program as well, under the name
// imagebreaker, and under the name probe a child that tells what reaches it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"probe": probe, "imagebreaker": func() { os.Exit(cli.Main()) }})
}
