package pages

import (
	"net"
	"net/http"
	"strings"
)

// contentSecurityPolicy allows a page to load what is served here and nothing else,
// and nobody to put it into a frame.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// setSecurityHeaders sets what every answer has, errors included.
func setSecurityHeaders(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// forbidden returns why a request is refused, "" if it is not. A web site that is
// open in a browser on this machine must neither see nor change anything, under
// whatever name it reaches this address.
func forbidden(r *http.Request) string {
	switch {
	case !isLoopbackHost(r.Host):
		return "this address answers only to a loopback Host"
	case isCrossOrigin(r.Header, r.Host):
		return "this is not for other sites; open the address itself"
	}
	return ""
}

// isLoopbackHost reports whether a Host header names this machine. Any other name
// that resolves to it may be an attacker's (DNS rebinding).
func isLoopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// isCrossOrigin reports whether a browser sent the request for another site.
// Another port of this machine is another site too: nobody knows what is served
// there. Programs other than browsers send neither header.
//
// http.CrossOriginProtection lets every GET pass, whose answers only browsers would
// then protect.
func isCrossOrigin(h http.Header, host string) bool {
	if o := h.Get("Origin"); o != "" && o != "http://"+host {
		return true
	}
	switch h.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return true
}
