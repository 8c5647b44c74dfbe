//go:build race

package proxy_test

// raced tells whether the race detector slows the tests down.
const raced = true
