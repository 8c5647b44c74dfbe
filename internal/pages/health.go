package pages

import (
	"io"
	"net/http"
	"strings"
)

// About is what the program says of itself.
type About struct {
	Mode    string
	Version string
	Address string // host:port
}

// about serves About and the upstreams that are down.
func (p *Pages) about(w http.ResponseWriter, _ *http.Request) {
	type down struct {
		Host  string `json:"host"`
		Since string `json:"since"`
	}
	out := struct {
		Mode    string `json:"mode"`
		Version string `json:"version"`
		Address string `json:"address"`
		Down    []down `json:"away"`
	}{p.About.Mode, p.About.Version, p.About.Address, []down{}}
	for _, d := range p.Health.Down() {
		out.Down = append(out.Down, down{d.Host, timestamp(d.Since)})
	}
	writeJSON(w, out)
}

// healthy says that the program runs.
func healthy(w http.ResponseWriter, _ *http.Request) { writeOK(w) }

// ready says whether the upstreams were up at the last try. They are not probed:
// without requests nothing changes.
func (p *Pages) ready(w http.ResponseWriter, _ *http.Request) {
	var why []string
	for _, d := range p.Health.Down() {
		why = append(why, "cannot reach "+d.Host+" since "+timestamp(d.Since))
	}
	if len(why) > 0 {
		writeError(w, http.StatusServiceUnavailable, strings.Join(why, "; "))
		return
	}
	writeOK(w)
}

func writeOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, "ok\n")
}
