package job

import "golang.org/x/sys/unix"

const getTermios = unix.TCGETS

// isStopped asks without taking the news from who waits for the child.
func isStopped(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}
