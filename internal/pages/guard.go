package pages

import (
	"net"
	"net/http"
	"strings"
)

// policy lets a page load what comes from here, and nothing else, and nobody
// put it into a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// protect sets what a browser has to know of every answer, errors included.
func protect(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// refused says why a request gets nothing; empty if it may be answered. A web
// site that is open in a browser on this machine must neither see nor change
// anything, under whatever name it reaches this address.
func refused(r *http.Request) string {
	switch {
	case !loopbackHost(r.Host):
		return "this address answers only to a loopback Host"
	case foreign(r.Header, r.Host):
		return "this is not for other sites; open the address itself"
	}
	return ""
}

// loopbackHost tells whether a Host header names this machine. Any other name
// that leads here may be a stranger's (DNS rebinding).
func loopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// foreign tells a request that a browser sends for another site. Another port of
// this machine is another site too: who knows what is served there. Programs that
// are no browsers send neither header.
func foreign(h http.Header, host string) bool {
	if o := h.Get("Origin"); o != "" && o != "http://"+host {
		return true
	}
	switch h.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return true
}
