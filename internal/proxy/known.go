package proxy

import (
	"time"

	"imagebreaker/breaker"
	"imagebreaker/imagehash"
)

// Repaired is the state of a failure that is remembered by its repairs alone,
// after a restart for example. Whose it is is not known any more.
const Repaired breaker.State = "repaired"

// Known is a failure that is remembered, as somebody may see it: nothing in it
// is a payload, a name, an address or an upstream's text.
type Known struct {
	Signature string // 16 hex digits: by this it is forgotten
	Session   string // empty: none
	Protocol  string
	Model     string
	Reason    string
	What      string   // size and kind of the image, or of the first of several; empty if not known any more
	Images    []string // the sum prefixes of what it is blamed on
	State     breaker.State
	Held      int // requests so far
	Since     time.Time
	Remaining time.Duration // of the cool-off
}

// Known lists what is remembered, the oldest entry first, then what is only
// repaired.
func (p *Proxy) Known() []Known {
	entries := p.breaker.Entries()
	list := make([]Known, 0, len(entries))
	listed := make(map[string]bool, len(entries))
	for _, e := range entries {
		k := known(e)
		listed[k.Signature] = true
		list = append(list, k)
	}
	for _, r := range p.Repairs.List() {
		if r.Signature != "" && !listed[r.Signature] {
			listed[r.Signature] = true
			list = append(list, Known{Signature: r.Signature, Reason: r.Reason, State: Repaired, Since: r.Used})
		}
	}
	return list
}

func known(e breaker.Entry[memo]) Known {
	k := Known{
		Signature: e.Signature.String(), Session: e.Session, Protocol: e.Info.protocol, Model: e.Info.model, Reason: e.Info.reason, What: e.Info.image.what,
		State: e.State, Held: e.Held, Since: e.Since, Remaining: e.Remaining,
	}
	for _, it := range e.Culprits {
		k.Images = append(k.Images, imagehash.Sum(it).Log())
	}
	return k
}

// Forget drops the failures whose signature match says yes to, and the repairs
// that came of them. It returns how many of each.
func (p *Proxy) Forget(match func(signature string) bool) (entries, repaired int) {
	gone := p.breaker.Forget(func(s breaker.Signature) bool { return match(s.String()) })
	p.excuse(gone)
	return len(gone), p.Repairs.Forget(match)
}

// Count tells how many entries are in each state.
func (p *Proxy) Count() map[breaker.State]int { return p.breaker.Count() }
