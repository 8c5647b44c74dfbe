package proxy

import (
	"imagebreaker/breaker"
	"imagebreaker/imagehash"
	"imagebreaker/internal/failure"
	"imagebreaker/internal/protocol"
)

// preflight records a failure for the first new image that no API could take,
// as if it had been uploaded and refused. It returns whether there was one; the
// ticket is used up then.
func (x *exchange) preflight() bool {
	for _, im := range x.unproven(x.images()) {
		reason, what := hopeless(x.api, im)
		if reason == "" {
			continue
		}
		x.outcome.open = false
		_, recorded := x.p.breaker.Fail(x.decision.Ticket, breaker.Failure[memo]{
			Culprits: []breaker.Item{im.Sum},
			Info: memo{
				protocol: x.api.Name(), model: x.req.Model, reason: reason, limit: -1,
				words:        failure.Sanitize("Could not process image: it is " + what),
				conversation: x.req.Conversation(),
			},
		})
		return recorded
	}
	return false
}

// hopeless tells an image that cannot be one for the API, and what it is. A
// damaged picture is not hopeless: decoders differ in what they forgive.
func hopeless(api protocol.API, im *protocol.Image) (reason, what string) {
	if im.Carrier != protocol.Bytes || im.Media != protocol.Picture {
		return "", ""
	}
	data, ok := im.Data()
	if !ok {
		return "", "" // whatever reads it may be more lenient with base64
	}
	look := imagehash.Inspect(data)
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
