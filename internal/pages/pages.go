// Package pages serves what is under /-/: health, remembered failures, metrics and
// a page that shows them live. Nothing there is ever forwarded, and no other web
// site may read, embed or change any of it.
package pages

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"

	"imagebreaker/internal/record"
	"imagebreaker/internal/upstream"
)

// prefix is where the paths of all pages begin.
const prefix = "/-/"

// Memory is the proxy's memory of failures.
type Memory interface {
	// Snapshot lists the failures, the oldest first. The caller owns the list.
	Snapshot() []record.Snapshot
	// Forget removes those whose signature matches, and returns how many failures
	// and how many substitutions they were.
	Forget(match func(signature string) bool) (entries, substitutions int)
}

// Config is what the pages show. Only Memory is needed.
type Config struct {
	Memory  Memory
	Metrics http.Handler     // nil: there is no page for metrics
	Health  *upstream.Health // nil: every upstream is up
	Live    *Live            // nil: no events
	Saved   *Saved           // nil: nothing was saved
	About   About
}

// Pages is middleware that serves the pages. Make one with New.
type Pages struct {
	Config
	next   http.Handler
	routes map[string]route
}

// route has the handlers of one path. Nil: the method is not allowed.
type route struct {
	get    http.HandlerFunc // HEAD too
	delete http.HandlerFunc
}

// New returns the pages in front of next, which gets all other requests.
func New(c Config, next http.Handler) *Pages {
	if c.Health == nil {
		c.Health = &upstream.Health{}
	}
	if c.Live == nil {
		c.Live = NewLive()
	}
	if c.Saved == nil {
		c.Saved = NewSaved(nil)
	}
	p := &Pages{Config: c, next: next, routes: staticRoutes()}
	maps.Copy(p.routes, map[string]route{
		"/-/healthy":  {get: healthy},
		"/-/ready":    {get: p.ready},
		"/-/breakers": {get: p.list, delete: p.forgetAll},
		"/-/about":    {get: p.about},
		"/-/saved":    {get: c.Saved.ServeHTTP},
		"/-/live":     {get: c.Live.ServeHTTP},
	})
	if c.Metrics != nil {
		p.routes["/-/metrics"] = route{get: c.Metrics.ServeHTTP}
	}
	return p
}

// ServeHTTP implements http.Handler. It does not redirect to a cleaned path, as
// http.ServeMux would: that could lead out of the pages.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, prefix) {
		p.next.ServeHTTP(w, r)
		return
	}
	setSecurityHeaders(w.Header())
	if why := forbidden(r); why != "" {
		writeError(w, http.StatusForbidden, why)
		return
	}
	rt, ok := p.routes[r.URL.Path]
	if strings.HasPrefix(r.URL.Path, breakerPrefix) {
		rt, ok = route{delete: p.forgetOne}, true
	}
	if !ok {
		writeError(w, http.StatusNotFound, "no such page")
		return
	}
	rt.ServeHTTP(w, r)
}

func (rt route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case rt.get != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		rt.get(w, r)
	case rt.delete != nil && r.Method == http.MethodDelete:
		rt.delete(w, r)
	default:
		w.Header().Set("Allow", rt.allow())
		writeError(w, http.StatusMethodNotAllowed, "method not allowed here")
	}
}

func (rt route) allow() string {
	switch {
	case rt.delete == nil:
		return "GET, HEAD"
	case rt.get == nil:
		return "DELETE"
	}
	return "GET, HEAD, DELETE"
}

// writeError answers with an error in one line.
func writeError(w http.ResponseWriter, status int, why string) {
	http.Error(w, "imagebreaker: "+why, status)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // an error means that the client has left
}

// timestamp formats a time as the event log does.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
