//go:build !linux

package job_test

func probe() {}
