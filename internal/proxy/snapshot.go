package proxy

import (
	"imagebreaker/breaker"
	"imagebreaker/internal/record"
)

// Snapshot lists what is remembered, the oldest entry first, then what is only
// substituted.
func (p *Proxy) Snapshot() []record.Snapshot {
	entries := p.breaker.Entries()
	list := make([]record.Snapshot, 0, len(entries))
	listed := make(map[string]bool, len(entries))
	for _, e := range entries {
		s := snapshotOf(e)
		listed[s.Signature] = true
		list = append(list, s)
	}
	for _, r := range p.Substitutions.List() {
		if r.Signature != "" && !listed[r.Signature] {
			listed[r.Signature] = true
			list = append(list, record.Snapshot{Signature: r.Signature, Reason: r.Reason, State: record.StateSubstituted, Since: r.Used})
		}
	}
	return list
}

func snapshotOf(e entry) record.Snapshot {
	seen := recordOf(e)
	return record.Snapshot{
		Signature: seen.Signature, Session: e.Session, Protocol: e.Info.Protocol, Model: e.Info.Model, Reason: e.Info.Reason,
		What: e.Info.Image.What, Items: seen.Items, State: string(e.State), Rejected: e.Rejected, Since: e.Since, Remaining: e.Remaining,
	}
}

// Forget drops the failures whose signature match says yes to, and the substitutions
// that came of them. It returns how many of each.
func (p *Proxy) Forget(match func(signature string) bool) (entries, substitutions int) {
	gone := p.breaker.Forget(func(s breaker.Signature) bool { return match(s.String()) })
	p.exempt(gone)
	return len(gone), p.Substitutions.Forget(match)
}

// Count tells how many entries are in each state.
func (p *Proxy) Count() map[breaker.State]int { return p.breaker.Count() }
