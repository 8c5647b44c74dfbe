//go:build !linux

package cli

func probe() {}
