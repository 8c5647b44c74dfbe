package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// node is a running npm/main.mjs. It ends with this process: its input does.
type node struct {
	version string
	out     *bufio.Reader
	gone    func() error // waits for its end and says why

	mu      sync.Mutex
	in      io.Writer
	last    int                    // id
	waiting map[int]chan npmResult // by id; nil once it is gone
	why     error                  // it is gone
}

// startNode installs the SDKs if they are not there, and loads them.
func startNode() (*node, error) {
	if err := haveTools(); err != nil {
		return nil, err
	}
	home, err := installed()
	if err != nil {
		return nil, err
	}
	// Node looks for packages in the folders above the program's.
	program, err := os.MkdirTemp(home, "run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(program) // all of it has been loaded when it is ready
	if err := copyOut("*.mjs", program); err != nil {
		return nil, err
	}
	n, err := run(exec.Command("node", filepath.Join(program, "main.mjs")))
	if err != nil {
		return nil, fmt.Errorf("load the npm SDKs: %w", err)
	}
	go n.listen()
	return n, nil
}

// run returns when the program says that it is ready.
func run(cmd *exec.Cmd) (*node, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &node{in: in, out: bufio.NewReader(out), waiting: map[int]chan npmResult{}}
	n.gone = func() error {
		in.Close()
		return fmt.Errorf("node has ended (%w): %s", errors.Join(cmd.Wait()), stderr.Bytes())
	}
	var hello struct{ Ready string }
	if err := n.read(&hello); err != nil {
		return nil, n.gone()
	}
	n.version = hello.Ready
	return n, nil
}

func (n *node) read(v any) error {
	line, err := n.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

// ask can be called by many at once.
func (n *node) ask(q npmQuestion) (npmResult, error) {
	answer, err := n.send(q)
	if err != nil {
		return npmResult{}, err
	}
	got, ok := <-answer
	if !ok {
		return got, n.why
	}
	return got, nil
}

func (n *node) send(q npmQuestion) (<-chan npmResult, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.why != nil {
		return nil, n.why
	}
	n.last++
	q.ID = n.last
	answer := make(chan npmResult, 1)
	n.waiting[q.ID] = answer
	return answer, json.NewEncoder(n.in).Encode(q)
}

// listen hands the results to those who wait, until there are no more.
func (n *node) listen() {
	for {
		var got npmResult
		if n.read(&got) != nil {
			break
		}
		n.mu.Lock()
		n.waiting[got.ID] <- got
		delete(n.waiting, got.ID)
		n.mu.Unlock()
	}
	why := n.gone()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.why = why
	for _, answer := range n.waiting {
		close(answer)
	}
}
