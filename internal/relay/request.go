package relay

import (
	"iter"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// Outgoing is the client's request addressed to the upstream, without a body. What
// is not of the client's connection alone stays as it is: path and query byte for
// byte, and every header.
func Outgoing(in *http.Request, base *url.URL) *http.Request {
	out := in.Clone(in.Context())
	out.Body, out.GetBody, out.Close = nil, nil, false
	removeHopByHop(out.Header)
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = nil // or the transport would make one up
	}
	address(out, in, base)
	out.Trailer = in.Trailer // filled when the body has been read
	return out
}

// hopByHop are the headers of one connection,
// https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1.
var hopByHop = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// removeHopByHop takes out what is of one connection only. That the sender takes
// trailers holds for the next one as well.
func removeHopByHop(h http.Header) {
	trailers := hasToken(h["Te"], "trailers")
	for name := range tokens(h["Connection"]) {
		h.Del(name)
	}
	for _, name := range hopByHop {
		delete(h, name)
	}
	if trailers {
		h["Te"] = []string{"trailers"}
	}
}

// address sends a copy of the client's request to the upstream.
func address(out, in *http.Request, base *url.URL) {
	u := out.URL
	u.Scheme, u.Host, out.Host = base.Scheme, base.Host, base.Host
	u.RawQuery, u.ForceQuery = in.URL.RawQuery, in.URL.ForceQuery
	u.Path = strings.TrimSuffix(base.Path, "/") + in.URL.Path
	u.RawPath = strings.TrimSuffix(base.EscapedPath(), "/") + in.URL.EscapedPath()
	// A path that Go would write in another way goes as it came on the wire.
	switch path := wirePath(in); {
	case path == "*":
		u.Opaque = path
	default:
		if path = strings.TrimSuffix(base.EscapedPath(), "/") + path; path != u.EscapedPath() && !strings.HasPrefix(path, "//") {
			u.Opaque = path
		}
	}
	sendOnce(out.Header)
}

// wirePath is the path as it came on the wire, also where it came behind a host:
// whoever takes us for a forward proxy is served by the upstream all the same.
func wirePath(r *http.Request) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if r.URL.Host == "" {
		return path
	}
	_, path, _ = strings.Cut(path, "://")
	_, path, _ = strings.Cut(path, "/")
	return "/" + path
}

// sendOnce keeps the transport from sending a POST twice. Its retry on a
// connection that died before anything was written stays; but a request with
// one of these headers it also sends again when an upstream that has read it
// closes an idle connection. It knows them in this form of their names only.
func sendOnce(h http.Header) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if v, ok := h[name]; ok {
			delete(h, name)
			h[strings.ToLower(name)] = v
		}
	}
}

// IsWebSocket tells a request to go on as a WebSocket on the same connection.
func IsWebSocket(h http.Header) bool {
	return hasToken(h["Connection"], "upgrade") && strings.EqualFold(h.Get("Upgrade"), "websocket")
}

// tokens are the elements of a header that is a list of tokens.
func tokens(values []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, list := range values {
			for t := range strings.SplitSeq(list, ",") {
				if t = textproto.TrimString(t); t != "" && !yield(t) {
					return
				}
			}
		}
	}
}

func hasToken(values []string, token string) bool {
	for t := range tokens(values) {
		if strings.EqualFold(t, token) {
			return true
		}
	}
	return false
}
