package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// patience is how long a test waits for what takes milliseconds.
const patience = time.Minute

// quickExit keeps the race detector from sleeping a second at each exit.
const quickExit = "GORACE=atexit_sleep_ms=0"

// program is the proxy as a process of its own.
type program struct {
	url   string // http://host:port
	ready string // the line that told it

	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer  // to be read when it has ended; stdout without the ready line
	ended          chan struct{} // closed when it has
}

var readyLine = regexp.MustCompile(`^imagebreaker: listening on (http://\S+) \(mode (?:on|off|dry-run)\)\n$`)

// startProgram returns when the proxy is ready. It finds those agents that lie
// in the folder bin of dir, and not the machine's: it would tell of them.
func startProgram(dir string, env []string, args ...string) (*program, error) {
	p := &program{cmd: exec.Command("imagebreaker", args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = dir, append(env, "PATH="+filepath.Join(dir, "bin")), &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	first := make(chan string, 1)
	go p.follow(out, first)
	select {
	case p.ready = <-first:
	case <-time.After(patience):
	}
	m := readyLine.FindStringSubmatch(p.ready)
	if m == nil {
		p.kill()
		return nil, fmt.Errorf("not ready: first line %q, stderr %q", p.ready, p.stderr.String())
	}
	p.url = m[1]
	return p, nil
}

// follow reads what the program prints until it ends.
func (p *program) follow(out io.Reader, first chan<- string) {
	defer close(p.ended)
	r := bufio.NewReader(out)
	line, _ := r.ReadString('\n') // on an error there is less of it, which shows
	first <- line
	_, _ = io.Copy(&p.stdout, r)
	_ = p.cmd.Wait() // how it ended is in ProcessState
}

func (p *program) kill() {
	_ = p.cmd.Process.Kill() // fails if it has ended
	<-p.ended
}

func (p *program) signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// wait waits for the end and returns the exit code, -1 if a signal ended it.
func (p *program) wait() (int, error) {
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		p.kill()
		return 0, errors.New("does not end")
	}
}

// stop asks the program to end.
func (p *program) stop() (int, error) {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	return p.wait()
}
