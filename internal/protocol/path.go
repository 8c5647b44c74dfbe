package protocol

import (
	"net/http"
	"regexp"
	"strings"
)

// version is the element that may precede an API's paths.
var version = regexp.MustCompile(`/v\d{1,2}(?:alpha|beta)?\d{0,2}$`)

// maxElements limits how much of a path can be the API's own.
const maxElements = 16

// OwnPath returns the API's part of a request's path, for the log: the shortest suffix
// that the API still matches. The prefix of a gateway may hold a key.
func OwnPath(a API, r *http.Request) string {
	u := *r.URL
	before := u.Path
	for range maxElements {
		i := strings.LastIndexByte(before, '/')
		if i < 0 {
			break
		}
		before, u.Path = before[:i], r.URL.Path[i:]
		if _, ok := a.Match(r.Method, &u, r.Header); ok {
			return version.FindString(before) + u.Path
		}
	}
	return ""
}
