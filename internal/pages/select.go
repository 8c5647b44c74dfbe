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

// selection is the part of the list that was asked for: ?q=TEXT is what must
// stand in one of the fields, ?limit=N takes the newest.
type selection struct {
	text  string
	limit int // 0: all
}

func selectionOf(q url.Values) (selection, error) {
	s := selection{text: strings.ToLower(q.Get("q"))}
	if v := q.Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return s, errors.New("limit is a whole number from 1")
		}
		s.limit = n
	}
	return s, nil
}

// of returns the selected ones, the oldest first, and tells in the header how
// many there are beyond them.
func (s selection) of(all []record.Snapshot, h http.Header) []record.Snapshot {
	h.Set("X-Total-Count", strconv.Itoa(len(all)))
	h.Set("X-Held-Count", strconv.Itoa(rejecting(all)))
	if s.text != "" {
		all = slices.DeleteFunc(all, func(k record.Snapshot) bool { return !s.in(k) })
	}
	h.Set("X-Matching-Count", strconv.Itoa(len(all)))
	if s.limit == 0 || len(all) <= s.limit {
		return all
	}
	slices.SortStableFunc(all, func(a, b record.Snapshot) int { return a.Since.Compare(b.Since) })
	return all[len(all)-s.limit:]
}

// in tells whether the text stands in a field that the page shows.
func (s selection) in(k record.Snapshot) bool {
	for _, field := range []string{k.What, string(k.Reason), k.Model, k.Protocol, k.Session, k.Signature, k.State} {
		if strings.Contains(strings.ToLower(field), s.text) {
			return true
		}
	}
	return slices.ContainsFunc(k.Items, func(sum string) bool { return strings.Contains(sum, s.text) })
}

// rejecting counts those that let nothing through now.
func rejecting(all []record.Snapshot) int {
	n := 0
	for i := range all {
		if all[i].State == string(breaker.Open) || all[i].State == string(breaker.Probing) {
			n++
		}
	}
	return n
}
