package pages

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"imagebreaker/breaker"
	"imagebreaker/internal/record"
)

// breakerPrefix is followed by a signature.
const breakerPrefix = "/-/breakers/"

// breakerJSON is a remembered failure as /-/breakers lists it.
type breakerJSON struct {
	Signature string   `json:"signature"`
	SessionID string   `json:"session_id"`
	Protocol  string   `json:"protocol"`
	Model     string   `json:"model"`
	Reason    string   `json:"reason"`
	What      string   `json:"what"`
	Images    []string `json:"images"`
	State     string   `json:"state"`
	Rejected  int      `json:"held_count"`
	Since     string   `json:"since"`
	Remaining int64    `json:"cool_off_remaining_ms"`
}

func toJSON(s record.Snapshot) breakerJSON {
	b := breakerJSON{
		Signature: s.Signature, SessionID: s.Session, Protocol: s.Protocol, Model: s.Model, Reason: string(s.Reason), What: s.What, Images: s.Items,
		State: s.State, Rejected: s.Rejected, Since: timestamp(s.Since), Remaining: s.Remaining.Milliseconds(),
	}
	if b.SessionID == "" && s.State != record.StateSubstituted {
		b.SessionID = "none"
	}
	if b.Images == nil {
		b.Images = []string{}
	}
	return b
}

// list serves the remembered failures.
func (p *Pages) list(w http.ResponseWriter, r *http.Request) {
	f, err := parseFilter(r.URL.Query())
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	selected := f.apply(p.Memory.Snapshot(), w.Header())
	out := make([]breakerJSON, len(selected))
	for i, s := range selected {
		out[i] = toJSON(s)
	}
	writeJSON(w, out)
}

// filter selects failures: ?q=TEXT is contained in one of their fields, ?limit=N
// takes the newest.
type filter struct {
	text  string
	limit int // 0: all
}

func parseFilter(q url.Values) (filter, error) {
	f := filter{text: strings.ToLower(q.Get("q"))}
	if v := q.Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return f, errors.New("limit is a whole number from 1")
		}
		f.limit = n
	}
	return f, nil
}

// apply returns the selected failures, the oldest first, and puts the counts of all
// into the header.
func (f filter) apply(all []record.Snapshot, h http.Header) []record.Snapshot {
	h.Set("X-Total-Count", strconv.Itoa(len(all)))
	h.Set("X-Held-Count", strconv.Itoa(countRejecting(all)))
	if f.text != "" {
		all = slices.DeleteFunc(all, func(s record.Snapshot) bool { return !f.matches(s) })
	}
	h.Set("X-Matching-Count", strconv.Itoa(len(all)))
	if f.limit == 0 || len(all) <= f.limit {
		return all
	}
	slices.SortStableFunc(all, func(a, b record.Snapshot) int { return a.Since.Compare(b.Since) })
	return all[len(all)-f.limit:]
}

func (f filter) matches(s record.Snapshot) bool {
	for _, field := range []string{s.What, string(s.Reason), s.Model, s.Protocol, s.Session, s.Signature, s.State} {
		if strings.Contains(strings.ToLower(field), f.text) {
			return true
		}
	}
	return slices.ContainsFunc(s.Items, func(sum string) bool { return strings.Contains(sum, f.text) })
}

// countRejecting counts the failures that reject requests now.
func countRejecting(all []record.Snapshot) (n int) {
	for i := range all {
		if all[i].State == string(breaker.Open) || all[i].State == string(breaker.Probing) {
			n++
		}
	}
	return n
}

func (p *Pages) forgetAll(w http.ResponseWriter, _ *http.Request) {
	p.forget(w, func(string) bool { return true })
}

func (p *Pages) forgetOne(w http.ResponseWriter, r *http.Request) {
	signature := strings.ToLower(strings.TrimPrefix(r.URL.Path, breakerPrefix))
	if len(signature) != 16 {
		writeError(w, http.StatusBadRequest, "a signature is 16 hex digits, as the log and /-/breakers show it")
		return
	}
	p.forget(w, func(s string) bool { return s == signature })
}

func (p *Pages) forget(w http.ResponseWriter, match func(string) bool) {
	entries, substitutions := p.Memory.Forget(match)
	writeJSON(w, map[string]int{"forgotten": entries, "repairs": substitutions})
}
