//go:build unix

package cli

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The program itself prints a line as soon as it sees it, and a signal ends it
// well.
func TestFollowEndsBySignal(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]os.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := logOf(t, logLine("repaired", "s", "first"))
			cmd := exec.Command("imagebreaker", "events", "--follow", "--events", path)
			cmd.Env = []string{quickExit, "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
			var errs strings.Builder
			cmd.Stderr = &errs
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(patience, func() { cmd.Process.Kill() })
			defer late.Stop()
			lines := reads(out)
			<-lines // the heading
			if got := <-lines; !strings.Contains(got, "first") {
				t.Errorf("%q", got)
			}
			appendTo(t, path, logLine("repaired", "s", "second"))
			if got := <-lines; !strings.Contains(got, "second") {
				t.Errorf("%q", got)
			}
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			for more := range lines {
				t.Errorf("%q after the signal", more)
			}
			if err := cmd.Wait(); err != nil || errs.Len() > 0 {
				t.Errorf("%v, %q", err, errs.String())
			}
		})
	}
}
