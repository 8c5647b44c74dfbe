package job_test

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"imagebreaker/internal/cli/job"

	"golang.org/x/sys/unix"
)

// probe is a child that tells what reaches it. "probe raw" takes the terminal
// as full-screen programs do: keys make no signals. It obeys single keys:
//
//	z  stop yourself    q  exit 7    i  die of an interrupt    w  say the window's size
func probe() {
	raw := len(os.Args) > 1 && os.Args[1] == "raw"
	if raw {
		restore := rawTerminal()
		defer restore()
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGCONT)
	keys := make(chan byte)
	go func() {
		for in := bufio.NewReader(os.Stdin); ; {
			b, err := in.ReadByte()
			if err != nil { // nobody is at the keys any more
				os.Exit(1)
			}
			keys <- b
		}
	}()
	fmt.Printf("probe ready %d.\n", os.Getpid())
	for {
		select {
		case s := <-signals:
			fmt.Printf("<%v>\n", s)
		case k := <-keys:
			obey(k)
		}
	}
}

func obey(key byte) {
	switch key {
	case 'z':
		_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	case 'q':
		os.Exit(7)
	case 'i':
		job.DieOf(syscall.SIGINT)
	case 'w':
		size, err := unix.IoctlGetWinsize(0, unix.TIOCGWINSZ)
		if err == nil {
			fmt.Printf("<%dx%d>\n", size.Col, size.Row)
		}
	}
}

// rawTerminal takes the terminal and returns what gives it back.
func rawTerminal() func() {
	was, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return func() {}
	}
	raw := *was
	raw.Lflag &^= unix.ISIG | unix.ICANON | unix.ECHO
	_ = unix.IoctlSetTermios(0, unix.TCSETS, &raw)
	return func() { _ = unix.IoctlSetTermios(0, unix.TCSETS, was) }
}
