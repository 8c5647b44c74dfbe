// Package reach remembers which upstreams could not be reached at the last try.
package reach

import (
	"cmp"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Reach is what is known of the upstreams. It tries none by itself. The zero
// value has tried none and is ready to use.
type Reach struct {
	// Now is the clock. Nil means time.Now.
	Now func() time.Time

	mu   sync.Mutex
	away map[string]time.Time // since when, by host
}

// Away is an upstream that could not be reached at the last try.
type Away struct {
	Host  string
	Since time.Time // of the first try in a row that failed
}

// Through returns base with an eye on what comes of it.
func (r *Reach) Through(base http.RoundTripper) http.RoundTripper { return watched{r, base} }

// Away lists the upstreams that could not be reached at the last try, by host.
func (r *Reach) Away() []Away {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Away
	for host, since := range r.away {
		out = append(out, Away{host, since})
	}
	slices.SortFunc(out, func(a, b Away) int { return cmp.Compare(a.Host, b.Host) })
	return out
}

func (r *Reach) tried(host string, reached bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if reached {
		delete(r.away, host)
		return
	}
	if _, known := r.away[host]; known {
		return
	}
	if r.away == nil {
		r.away = map[string]time.Time{}
	}
	r.away[host] = r.now()
}

func (r *Reach) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// watched is a transport whose tries are noted.
type watched struct {
	reach *Reach
	base  http.RoundTripper
}

// RoundTrip implements http.RoundTripper. Any answer means that the upstream is
// there; that a client left before it means nothing.
func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.base.RoundTrip(r)
	if err == nil || r.Context().Err() == nil {
		w.reach.tried(r.URL.Host, err == nil)
	}
	return resp, err
}
