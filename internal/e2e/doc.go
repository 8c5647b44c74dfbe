// Package e2e holds the tests that put the providers' official SDKs before the
// proxy, over real sockets: an answer that the proxy invents is good only if
// the programs that get it read it like the provider's own.
//
// It is a module of its own, so that the SDKs and the many modules that they
// need stay out of the go.mod of the program. It is tested from this folder:
//
//	go test -race
//
// The SDKs of npm are run too, by the Node in the PATH. The first run installs
// them (134 MB) in the folder imagebreaker-e2e of the user's cache. A machine
// without Node 20, npm or a way to the registry skips them and says so on a line
// of its own, which go test shows unless it is given packages (as in ./...). With
// IMAGEBREAKER_E2E_NPM=require it fails instead.
package e2e
