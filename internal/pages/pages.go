// Package pages serves what is under /-/: the proxy's health, what it holds, and
// what else there is to see of it. Nothing there is ever forwarded, and none of
// it is for a web site to see, to embed or to change.
package pages

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"imagebreaker/internal/record"
	"imagebreaker/internal/upstream"
)

// prefix is what the paths of all pages begin with.
const prefix = "/-/"

// Memory is what the proxy remembers.
type Memory interface {
	// Snapshot lists it, the oldest first. The list is the caller's.
	Snapshot() []record.Snapshot
	// Forget drops what match says yes to, and returns how many failures and
	// how many substitutions that were.
	Forget(match func(signature string) bool) (entries, substitutions int)
}

// Config is what the pages show.
type Config struct {
	Memory  Memory
	Metrics http.Handler     // nil: there is no such page
	Health  *upstream.Health // nil: no upstream was ever tried
	Live    *Live            // nil: nothing happens
	Saved   *Saved           // nil: nothing is saved
	About   About
}

// Pages is the handler. Make one with New.
type Pages struct {
	Config
	behind http.Handler
	pages  map[string]page
}

// page is what one path does. A nil function is a method that it does not take.
type page struct {
	get    http.HandlerFunc // HEAD too
	delete http.HandlerFunc
}

// New returns the pages before the handler that gets everything else.
func New(c Config, behind http.Handler) *Pages {
	if c.Health == nil {
		c.Health = &upstream.Health{}
	}
	if c.Live == nil {
		c.Live = NewLive()
	}
	if c.Saved == nil {
		c.Saved = NewSaved(nil)
	}
	p := &Pages{Config: c, behind: behind}
	p.pages = files()
	maps.Copy(p.pages, map[string]page{
		"/-/healthy":  {get: healthy},
		"/-/ready":    {get: p.ready},
		"/-/breakers": {get: p.list, delete: p.forgetAll},
		"/-/about":    {get: p.about},
		"/-/saved":    {get: c.Saved.ServeHTTP},
		"/-/live":     {get: c.Live.ServeHTTP},
	})
	if c.Metrics != nil {
		p.pages["/-/metrics"] = page{get: c.Metrics.ServeHTTP}
	}
	return p
}

// ServeHTTP answers one request, or passes it on.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, prefix) {
		p.behind.ServeHTTP(w, r)
		return
	}
	protect(w.Header())
	if why := refused(r); why != "" {
		fail(w, http.StatusForbidden, why)
		return
	}
	pg, ok := p.at(r.URL.Path)
	if !ok {
		fail(w, http.StatusNotFound, "no such page")
		return
	}
	pg.serve(w, r)
}

func (p *Pages) at(path string) (page, bool) {
	if strings.HasPrefix(path, onePrefix) {
		return page{delete: p.forgetOne}, true
	}
	pg, ok := p.pages[path]
	return pg, ok
}

func (pg page) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case pg.get != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		pg.get(w, r)
	case pg.delete != nil && r.Method == http.MethodDelete:
		pg.delete(w, r)
	default:
		w.Header().Set("Allow", pg.methods())
		fail(w, http.StatusMethodNotAllowed, "method not allowed here")
	}
}

func (pg page) methods() string {
	var all []string
	if pg.get != nil {
		all = append(all, http.MethodGet, http.MethodHead)
	}
	if pg.delete != nil {
		all = append(all, http.MethodDelete)
	}
	return strings.Join(all, ", ")
}

// fail answers with an error in one line.
func fail(w http.ResponseWriter, status int, why string) {
	http.Error(w, "imagebreaker: "+why, status)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // nothing can be done for a client that has left
}
