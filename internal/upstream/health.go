package upstream

import (
	"cmp"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Health is which upstreams could be reached at the last try. It tries none by
// itself. The zero value has tried none and is ready to use.
type Health struct {
	// Now is the clock. Nil means time.Now.
	Now func() time.Time

	mu   sync.Mutex
	down map[string]time.Time // since when, by host
}

// Down is an upstream that could not be reached at the last try.
type Down struct {
	Host  string
	Since time.Time // of the first try in a row that failed
}

// Observe returns base with its tries noted in h.
func (h *Health) Observe(base http.RoundTripper) http.RoundTripper { return observed{h, base} }

// Down lists the upstreams that could not be reached at the last try, by host.
func (h *Health) Down() []Down {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []Down
	for host, since := range h.down {
		out = append(out, Down{host, since})
	}
	slices.SortFunc(out, func(a, b Down) int { return cmp.Compare(a.Host, b.Host) })
	return out
}

func (h *Health) mark(host string, up bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if up {
		delete(h.down, host)
		return
	}
	if _, known := h.down[host]; known {
		return
	}
	if h.down == nil {
		h.down = map[string]time.Time{}
	}
	h.down[host] = h.now()
}

func (h *Health) now() time.Time {
	if h.Now == nil {
		return time.Now()
	}
	return h.Now()
}

// observed is a transport whose tries are noted.
type observed struct {
	health *Health
	base   http.RoundTripper
}

// RoundTrip implements http.RoundTripper. Any answer means that the upstream is
// up; that a client left before it means nothing.
func (o observed) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := o.base.RoundTrip(r)
	if err == nil || r.Context().Err() == nil {
		o.health.mark(r.URL.Host, err == nil)
	}
	return resp, err
}
