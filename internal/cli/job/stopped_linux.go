package job

import "golang.org/x/sys/unix"

const getTermios = unix.TCGETS

// isStopped reports whether the child is stopped. It leaves the event to Wait.
func isStopped(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}
