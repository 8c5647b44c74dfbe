package proxy

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"

	"imagebreaker/breaker"
	"imagebreaker/imagehash"
)

// reserved serves what is under /-/, which is never forwarded. A page in a
// browser must not be able to reach it under another name, nor to change
// anything from another place.
func (p *Proxy) reserved(w http.ResponseWriter, r *http.Request) {
	if !loopbackHost(r.Host) {
		http.Error(w, "imagebreaker: this address answers only to a loopback Host", http.StatusForbidden)
		return
	}
	if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host && r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "imagebreaker: changes are not taken from another origin", http.StatusForbidden)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	signature, one := strings.CutPrefix(r.URL.Path, "/-/breakers/")
	switch {
	case r.URL.Path == "/-/healthy" && readOnly(r):
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write([]byte("ok\n"))
	case r.URL.Path == "/-/breakers" && readOnly(r):
		p.listEntries(w)
	case r.URL.Path == "/-/breakers" && r.Method == http.MethodDelete:
		p.forget(w, func(string) bool { return true })
	case one && r.Method == http.MethodDelete:
		p.forgetOne(w, signature)
	case r.URL.Path == "/-/healthy", r.URL.Path == "/-/breakers", one:
		http.Error(w, "imagebreaker: method not allowed here", http.StatusMethodNotAllowed)
	default:
		http.Error(w, "imagebreaker: no such page", http.StatusNotFound)
	}
}

func readOnly(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// loopbackHost tells whether a Host header names this machine. Any other name
// that leads here may be a stranger's (DNS rebinding).
func loopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// listed is an entry as /-/breakers shows it.
type listed struct {
	Signature string        `json:"signature"`
	SessionID string        `json:"session_id"`
	Protocol  string        `json:"protocol"`
	Model     string        `json:"model"`
	Reason    string        `json:"reason"`
	Images    []string      `json:"images"`
	State     breaker.State `json:"state"`
	HeldCount int           `json:"held_count"`
	Since     time.Time     `json:"since"`
	Remaining int64         `json:"cool_off_remaining_ms"`
}

func (p *Proxy) listEntries(w http.ResponseWriter) {
	list := []listed{}
	for _, e := range p.breaker.Entries() {
		l := listed{
			Signature: e.Signature.String(), SessionID: e.Session, Protocol: e.Info.protocol, Model: e.Info.model, Reason: e.Info.reason,
			State: e.State, HeldCount: e.Held, Since: e.Since.UTC().Truncate(time.Millisecond), Remaining: e.Remaining.Milliseconds(),
		}
		if l.SessionID == "" {
			l.SessionID = "none"
		}
		for _, it := range e.Culprits {
			l.Images = append(l.Images, imagehash.Sum(it).Log())
		}
		list = append(list, l)
	}
	writeJSON(w, http.StatusOK, append(list, p.onlyRepaired(list)...))
}

// onlyRepaired lists the failures that are remembered by their repairs alone,
// after a restart for example. Whose they are is not known any more.
func (p *Proxy) onlyRepaired(entries []listed) []listed {
	known := map[string]bool{"": true} // a fork's mark is of no failure
	for _, l := range entries {
		known[l.Signature] = true
	}
	var out []listed
	for _, r := range p.Repairs.List() {
		if !known[r.Signature] {
			known[r.Signature] = true
			out = append(out, listed{Signature: r.Signature, Reason: r.Reason, Images: []string{}, State: "repaired", Since: r.Used.UTC().Truncate(time.Millisecond)})
		}
	}
	return out
}

func (p *Proxy) forgetOne(w http.ResponseWriter, signature string) {
	if len(signature) != 16 {
		http.Error(w, "imagebreaker: a signature is 16 hex digits, as the log and /-/breakers show it", http.StatusBadRequest)
		return
	}
	p.forget(w, func(s string) bool { return s == strings.ToLower(signature) })
}

// forget drops entries and the repairs that came of them.
func (p *Proxy) forget(w http.ResponseWriter, match func(signature string) bool) {
	gone := p.breaker.Forget(func(s breaker.Signature) bool { return match(s.String()) })
	p.excuse(gone)
	writeJSON(w, http.StatusOK, map[string]int{"forgotten": len(gone), "repairs": p.Repairs.Forget(match)})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
