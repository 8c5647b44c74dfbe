package proxy

import (
	"imagebreaker/breaker"
	"imagebreaker/imagehash"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
)

// preflight records a failure for the first new image that no API could take,
// as if it had been uploaded and refused, and asks the breaker again. An image
// that is being probed, or that somebody wants tried, goes up.
func (x *exchange) preflight() {
	if !x.p.Preflight || !x.outcome.open || len(x.decision.Held) > 0 || len(x.decision.Probed) > 0 {
		return
	}
	for _, im := range newest(x.unproven(x.images())) {
		reason, what := hopeless(x.api, im)
		if reason == "" || x.p.excused.Contains(excuse{x.req.Session, im.Sum}) {
			continue
		}
		x.outcome.open = false
		x.p.breaker.Fail(x.decision.Ticket, breaker.Failure[memo]{
			Culprits: []breaker.Item{im.Sum},
			Info: memo{
				protocol: x.api.Name(), model: x.req.Model, reason: reason, image: look(im), limit: -1, preflight: true,
				words:        failure.Sanitize("Could not process image: it is " + what),
				conversation: x.req.Conversation(),
			},
		})
		x.check()
		return
	}
}

// excuse is an image that preflight leaves to the API, since its entry was
// forgotten on demand.
type excuse struct {
	session string
	sum     imagehash.Sum
}

// maxExcuses bounds how many are remembered.
const maxExcuses = 4096

// excuse takes note of entries that were forgotten on demand.
func (p *Proxy) excuse(forgotten []breaker.Entry[memo]) {
	for _, e := range forgotten {
		for _, it := range e.Culprits {
			if e.Info.preflight {
				p.excused.Add(excuse{e.Session, imagehash.Sum(it)}, struct{}{})
			}
		}
	}
}

// hopeless tells an image that cannot be one for the API, and what it is. A
// damaged picture is not hopeless: decoders differ in what they forgive.
func hopeless(api protocol.API, im *protocol.Image) (reason, what string) {
	if im.Carrier != protocol.Bytes || im.Media != protocol.Picture {
		return "", ""
	}
	look := im.Inspect()
	if !look.Decoded {
		return "", "" // whatever reads it may be more lenient with base64
	}
	switch look.Format {
	case imagehash.Empty:
		reason = "empty_image"
	case imagehash.HTML, imagehash.JSON, imagehash.Text, imagehash.LFSPointer:
		reason = "decode_failed"
	default:
		if look.State == imagehash.Unsupported && !protocol.Takes(api, look.Format) {
			reason = "unsupported_format"
		}
	}
	return reason, look.Describe(im.Label)
}
