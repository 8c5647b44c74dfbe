// Package e2e holds the tests that put the providers' official SDKs before the
// proxy, over real sockets: an answer that the proxy invents is good only if
// the programs that get it read it like the provider's own.
//
// It is a module of its own, so that the SDKs and the many modules that they
// need stay out of the go.mod of the program. It is tested from this folder:
//
//	go test -race ./...
package e2e
