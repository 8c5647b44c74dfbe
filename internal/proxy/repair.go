package proxy

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"imagebreaker/breaker"
	"imagebreaker/eventlog"
	"imagebreaker/imagehash"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/repairs"
)

// maxRounds is how often one request is sent again for yet another bad image.
const maxRounds = 8

// replaced are the images that notes stand for, with why.
type replaced map[breaker.Item]repairs.Mark

func (r replaced) has(im *protocol.Image) bool { _, ok := r[im.Sum]; return ok }

// note is what stands in an image's place. Its words depend on the sum alone,
// so that it is the same in every later request, in every API and after a
// restart: prompt caches and signed answers stay valid.
func note(sum imagehash.Sum) string {
	return "[imagebreaker removed a media file here (sum " + sum.Short() + "): the API cannot process it. " +
		"It may be damaged or of a kind that is not supported. Do not read it again; " +
		"look at the file with a shell command, or go on without it.]"
}

// mayKeep tells whether images that were replaced in the session stay so in
// this request: wherever the style repairs at all.
func (x *exchange) mayKeep() bool {
	q := x.req
	return x.p.Reply == Repair ||
		x.p.Reply == Auto && (q.Kind != protocol.Generate || !q.SelfRepair && (q.Session != "" || q.Tools))
}

// goOn prepares a request that nothing holds. What was replaced in this session
// before stays replaced, without a probe: an image that comes and goes would
// break caches and signatures. And a later turn is no probe for an entry whose
// cool-off has run out: a person needs longer than that for the next message,
// and it would fail like the one before.
func (x *exchange) goOn() {
	if !x.mayKeep() {
		return
	}
	if probed := x.decision.Probed; len(probed) > 0 && !x.repeats(probed) && x.repairFor(probed) {
		return
	}
	if known := x.known(); len(known) > 0 {
		x.replace(known)
	}
}

// known are the images of the request that are replaced in its session.
func (x *exchange) known() replaced {
	found := replaced{}
	items := x.req.Items()
	maps.Copy(found, x.p.Repairs.Find(x.req.Session, x.scope, items))
	if len(found) == 0 {
		x.knownBeforeFork(found, items)
	}
	return found
}

// forkOf names, among the sessions of the repairs, whatever grows out of a
// conversation whose digest this is.
func forkOf(conversation imagehash.Sum) string { return "fork of " + conversation.String() }

// knownBeforeFork finds what was replaced before another session forked from
// its own: that session's first request has the image again, but the model's
// answers in it were given to the note.
func (x *exchange) knownBeforeFork(found replaced, items []breaker.Item) {
	if x.p.Repairs.Empty() {
		return
	}
	earlier := x.req.Earlier()
	forks := 0
	for _, digest := range slices.Backward(earlier[max(0, len(earlier)-maxEarlier):]) {
		from := forkOf(digest)
		if len(x.p.Repairs.Find(from, x.scope, []breaker.Item{anyItem})) == 0 {
			continue
		}
		// What has gone well in this very session is no fork's image.
		for it, mark := range x.p.Repairs.Find(from, x.scope, x.p.breaker.Unproven(x.req.Session, items)) {
			if _, ok := found[it]; !ok {
				found[it] = mark
			}
		}
		if forks++; forks == maxForks {
			return
		}
	}
}

// How far back a fork is looked for. What a conversation has replaced grows, so
// that the newest of its forks have it all.
const (
	maxEarlier = 4096
	maxForks   = 8
)

// anyItem stands for whether a fork has any repair at all.
var anyItem breaker.Item

// repairFor replaces what the entries are blamed on. It returns false if it
// cannot, and then nothing has changed.
func (x *exchange) repairFor(entries []breaker.Entry[memo]) bool {
	targets := replaced{}
	if x.mayKeep() {
		targets = x.known()
	}
	for _, e := range entries {
		its := x.targets(e)
		if len(its) == 0 {
			return false
		}
		targets.add(its, e)
	}
	return x.replace(targets)
}

// repairFailed replaces what a failure that has just been recorded is blamed
// on, in a request that is to be sent again.
func (x *exchange) repairFailed() bool {
	entry := *x.outcome.failed
	targets := replaced{}
	maps.Copy(targets, x.gone)
	its := x.targets(entry)
	targets.add(its, entry)
	if len(its) == 0 || !x.replace(targets) {
		return false
	}
	// The failure is one event, what comes of the repair another. What the
	// client gets is not known yet.
	x.outcome.reply, x.outcome.clientStatus = "repaired", 0
	x.log()
	x.answered()
	x.outcome = outcome{open: x.outcome.open}
	return true
}

// add puts in the items that are replaced because of the entry.
func (r replaced) add(items []breaker.Item, e breaker.Entry[memo]) {
	for _, it := range items {
		r[it] = repairs.Mark{Signature: e.Signature.String(), Reason: e.Info.reason, Unsure: e.Info.unsure}
	}
}

// targets are the items to replace for an entry: its culprits; of a failure of
// the whole set the one that the upstream named, or the oldest that are too
// many. None where it is not known which would help.
func (x *exchange) targets(e breaker.Entry[memo]) []breaker.Item {
	switch {
	case !e.Whole:
		return e.Culprits
	case e.Info.pointed != nil:
		return []breaker.Item{*e.Info.pointed}
	case e.Info.limit < 0:
		return nil
	}
	images := x.images()
	times := map[imagehash.Sum]int{}
	for _, im := range images {
		times[im.Sum]++
	}
	var out []breaker.Item
	over := len(images) - e.Info.limit
	for _, im := range images {
		if n := times[im.Sum]; n > 0 && over > 0 {
			out = append(out, im.Sum)
			over -= n
			times[im.Sum] = 0 // all of its places go at once
		}
	}
	return out
}

// replace makes x.sent the request with notes in the place of the targets, and
// asks the breaker about what is left. It returns false if a target cannot be
// replaced or the rest is held too, and then nothing has changed.
func (x *exchange) replace(targets replaced) bool {
	if protocol.Signed(x.in.Header) {
		return false
	}
	body, ok := x.spliced(targets)
	if !ok {
		return false
	}
	x.abandon()
	gone, decision := x.gone, x.decision
	x.gone = targets
	if x.check(); len(x.decision.Held) > 0 {
		x.gone, x.decision = gone, decision
		return false
	}
	x.sent = body
	if x.mayKeep() && x.req.Kind != protocol.Count {
		x.remember(targets)
	}
	return true
}

// remember notes that the targets are replaced in this session, and in what
// will have forked from it.
func (x *exchange) remember(targets replaced) {
	items := x.req.Items()
	if len(x.p.Repairs.Find(x.req.Session, x.scope, items)) == len(targets) {
		return // nothing new
	}
	fork := forkOf(x.req.Conversation())
	for it, mark := range targets {
		x.p.Repairs.Add(x.req.Session, x.scope, it, mark)
		x.p.Repairs.Add(fork, x.scope, it, mark)
	}
	// Of no one failure: to forget one must not hide the others.
	x.p.Repairs.Add(fork, x.scope, anyItem, repairs.Mark{})
}

// spliced is the body with notes in the targets' places; every other byte is
// as the client sent it.
func (x *exchange) spliced(targets replaced) ([]byte, bool) {
	var gone []*protocol.Image
	for i := range x.req.Images {
		if im := &x.req.Images[i]; targets.has(im) {
			gone = append(gone, im)
		}
	}
	edits, ok := protocol.Substitute(x.api, gone, func(im *protocol.Image) string { return note(im.Sum) })
	if !ok {
		return nil, false
	}
	var out bytes.Buffer
	out.Grow(len(x.plain))
	from := 0
	for _, e := range edits {
		out.Write(x.plain[from:e.Start])
		out.Write(e.Text)
		from = e.End
	}
	out.Write(x.plain[from:])
	return out.Bytes(), true
}

// first is the first image in the body that was replaced, with why.
func (x *exchange) first() (repairs.Mark, bool) {
	for i := range x.req.Images {
		if mark, ok := x.gone[x.req.Images[i].Sum]; ok {
			return mark, true
		}
	}
	return repairs.Mark{}, false
}

// markRepaired says in the answer that the request was repaired.
func (x *exchange) markRepaired(resp *http.Response) {
	if len(x.gone) == 0 || resp.Header.Get("X-Imagebreaker") != "" {
		return
	}
	m, _ := x.first()
	mark(resp.Header, "repaired", m.Reason, m.Signature)
	if x.unsure() {
		resp.Header.Set("X-Imagebreaker-Replaced", fmt.Sprintf("%d images, since the upstream did not say which one it meant", len(x.gone)))
	}
}

// unsure tells whether some that were replaced only may have been to blame.
func (x *exchange) unsure() bool {
	for _, m := range x.gone {
		if m.Unsure {
			return true
		}
	}
	return false
}

// describeRepair fills in the event of a repaired request.
func (x *exchange) describeRepair(e *eventlog.Event) {
	m, _ := x.first()
	e.Signature, e.Reason, e.Reply = m.Signature, m.Reason, "repaired"
	e.Verdict = string(failure.Permanent)
	if x.unsure() {
		e.Verdict = string(failure.Suspect)
	}
	seen := replaced{}
	for i := range x.req.Images {
		if im := &x.req.Images[i]; x.gone.has(im) && !seen.has(im) {
			seen[im.Sum] = m
			e.Images = append(e.Images, im.Sum.Log())
		}
	}
}
