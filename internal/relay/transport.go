// Package relay carries requests to an upstream and answers to a client, byte for
// byte. It decides nothing about either.
package relay

import (
	"errors"
	"net"
	"net/http"
	"time"
)

// NewTransport is the connection to the upstreams: HTTP/2 where they speak it,
// the environment's proxy settings, nothing compressed or inflated on the way.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	t.MaxIdleConns = 512
	t.MaxIdleConnsPerHost = 256
	// Short of the minute or more that servers keep idle connections for: one
	// that they close while it is being used fails a request.
	t.IdleConnTimeout = 30 * time.Second
	t.ExpectContinueTimeout = 0 // the client has been told to go on; an upstream that says nothing must not cost a second
	return t
}

// Unreachable says in one line why an upstream gave no answer, and with which status
// a gateway tells so. The line names the host and no URL.
func Unreachable(host string, err error) (why string, status int) {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return "no answer from " + host + " in time: " + err.Error(), http.StatusGatewayTimeout
	}
	return "cannot reach " + host + ": " + err.Error(), http.StatusBadGateway
}
