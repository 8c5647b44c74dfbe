package job

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA

// sstop is the state of a stopped process, SSTOP in sys/proc.h.
const sstop = 4

func isStopped(pid int) bool {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && info.Proc.P_stat == sstop
}
