package pages

import (
	"io"
	"net/http"
	"strings"
)

// healthy says that the program runs.
func healthy(w http.ResponseWriter, _ *http.Request) { sayOK(w) }

// ready says whether the upstreams could be reached at the last try, if there
// was one. Without requests nothing is tried, and nothing changes.
func (p *Pages) ready(w http.ResponseWriter, _ *http.Request) {
	var why []string
	for _, a := range p.Health.Down() {
		why = append(why, "cannot reach "+a.Host+" since "+stamp(a.Since))
	}
	if len(why) > 0 {
		fail(w, http.StatusServiceUnavailable, strings.Join(why, "; "))
		return
	}
	sayOK(w)
}

func sayOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, "ok\n")
}
