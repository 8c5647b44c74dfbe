package protocol

import (
	"net/http"
	"regexp"
	"strings"
)

// plainID is what a request id looks like. Anything else is text of the upstream's,
// which must not get into a log.
var plainID = regexp.MustCompile(`^[\w.:-]{1,128}$`)

// RequestID returns the id that an upstream gave a request, from the headers of its
// answer; empty if there is none, or if it looks like text.
func RequestID(h http.Header) string {
	for _, name := range []string{"Request-Id", "X-Request-Id", "X-Amzn-Requestid"} {
		if id := h.Get(name); plainID.MatchString(id) {
			return id
		}
	}
	return ""
}

// ErrorType returns the class of an error from the headers of an answer, which
// Amazon's APIs have; empty for others.
func ErrorType(h http.Header) string { return h.Get("X-Amzn-Errortype") }

// Signed reports whether a request has a signature that covers its body (AWS Signature
// Version 4): the upstream would reject any other body. (It covers the host as well, so
// that Bedrock rejects it behind a proxy, unless the client knows the proxy by
// Bedrock's name.)
func Signed(h http.Header) bool {
	return strings.HasPrefix(h.Get("Authorization"), "AWS4-") && h.Get("X-Amz-Content-Sha256") != "UNSIGNED-PAYLOAD"
}

// FallsBackToHTTP reports whether a request is a WebSocket upgrade whose client sends
// the same requests over HTTP if it is refused: Codex's, of the Responses API.
func FallsBackToHTTP(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && strings.HasSuffix(r.URL.Path, "/responses")
}
