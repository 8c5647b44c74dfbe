package pages

import (
	"net/http"
	"strings"
	"time"

	"imagebreaker/internal/record"
)

// onePrefix is followed by a signature.
const onePrefix = "/-/breakers/"

// listed is a remembered failure as /-/breakers shows it.
type listed struct {
	Signature string   `json:"signature"`
	SessionID string   `json:"session_id"`
	Protocol  string   `json:"protocol"`
	Model     string   `json:"model"`
	Reason    string   `json:"reason"`
	What      string   `json:"what"`
	Images    []string `json:"images"`
	State     string   `json:"state"`
	HeldCount int      `json:"held_count"`
	Since     string   `json:"since"`
	Remaining int64    `json:"cool_off_remaining_ms"`
}

// list shows what is remembered.
func (p *Pages) list(w http.ResponseWriter, r *http.Request) {
	s, err := selectionOf(r.URL.Query())
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	selected := s.of(p.Memory.Snapshot(), w.Header())
	all := make([]listed, 0, len(selected))
	for _, k := range selected {
		all = append(all, show(k))
	}
	writeJSON(w, all)
}

func show(k record.Snapshot) listed {
	l := listed{
		Signature: k.Signature, SessionID: k.Session, Protocol: k.Protocol, Model: k.Model, Reason: string(k.Reason), What: k.What, Images: k.Items,
		State: k.State, HeldCount: k.Rejected, Since: stamp(k.Since), Remaining: k.Remaining.Milliseconds(),
	}
	if l.SessionID == "" && k.State != record.StateSubstituted {
		l.SessionID = "none"
	}
	if l.Images == nil {
		l.Images = []string{}
	}
	return l
}

// stamp is a time as the event log has it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (p *Pages) forgetAll(w http.ResponseWriter, _ *http.Request) {
	p.forget(w, func(string) bool { return true })
}

func (p *Pages) forgetOne(w http.ResponseWriter, r *http.Request) {
	signature := strings.ToLower(strings.TrimPrefix(r.URL.Path, onePrefix))
	if len(signature) != 16 {
		fail(w, http.StatusBadRequest, "a signature is 16 hex digits, as the log and /-/breakers show it")
		return
	}
	p.forget(w, func(s string) bool { return s == signature })
}

func (p *Pages) forget(w http.ResponseWriter, match func(string) bool) {
	entries, substitutions := p.Memory.Forget(match)
	writeJSON(w, map[string]int{"forgotten": entries, "repairs": substitutions})
}
