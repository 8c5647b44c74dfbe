package pages

import "net/http"

// About is what the program says of itself.
type About struct {
	Mode    string
	Version string
	Address string // host:port
}

// about shows it, with the upstreams that could not be reached.
func (p *Pages) about(w http.ResponseWriter, _ *http.Request) {
	type away struct {
		Host  string `json:"host"`
		Since string `json:"since"`
	}
	out := struct {
		Mode    string `json:"mode"`
		Version string `json:"version"`
		Address string `json:"address"`
		Away    []away `json:"away"`
	}{p.About.Mode, p.About.Version, p.About.Address, []away{}}
	for _, a := range p.Health.Down() {
		out.Away = append(out.Away, away{a.Host, stamp(a.Since)})
	}
	writeJSON(w, out)
}
