package protocol

import (
	"net/http"
	"regexp"
	"strings"
)

// plainID is what a request's name looks like. Anything else is the upstream's
// text, which no log may hold.
var plainID = regexp.MustCompile(`^[\w.:-]{1,128}$`)

// RequestID is the name that an upstream gave a request, by the headers of its
// answer; empty if there is none, or if it looks like text.
func RequestID(h http.Header) string {
	for _, name := range []string{"Request-Id", "X-Request-Id", "X-Amzn-Requestid"} {
		if id := h.Get(name); plainID.MatchString(id) {
			return id
		}
	}
	return ""
}

// ErrorType is the class of an error where an answer's header tells it, as
// Amazon's do.
func ErrorType(h http.Header) string { return h.Get("X-Amzn-Errortype") }

// Signed tells a request whose signature covers its body (AWS Signature Version
// 4): the upstream would refuse any other body. (It covers the host as well, so
// that one for Bedrock comes to nothing behind a proxy, unless the client knows
// the proxy by Bedrock's name.)
func Signed(h http.Header) bool {
	return strings.HasPrefix(h.Get("Authorization"), "AWS4-") && h.Get("X-Amz-Content-Sha256") != "UNSIGNED-PAYLOAD"
}

// FallsBackToHTTP tells a WebSocket upgrade whose client sends the same requests
// over HTTP when it is refused: Codex's of the Responses API.
func FallsBackToHTTP(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && strings.HasSuffix(r.URL.Path, "/responses")
}
