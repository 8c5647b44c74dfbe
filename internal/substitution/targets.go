package substitution

import (
	"imagebreaker/breaker"
	"imagebreaker/imagehash"
	"imagebreaker/internal/protocol"
	"imagebreaker/internal/record"
)

// Add puts in what is to be replaced because of a failure in a request with these
// images. It returns false if it is not known which would help.
func (s Set) Add(e breaker.Entry[record.FailureInfo], images []*protocol.Image) bool {
	targets := Targets(e.Failure, images)
	for _, it := range targets {
		s[it] = Mark{Signature: e.Signature.String(), Reason: e.Info.Reason, Unsure: e.Info.Unsure}
	}
	return len(targets) > 0
}

// Targets are the items to replace because of a failure: those that it is attributed
// to; of a failure of the whole set the one that the upstream named, or the oldest
// that are too many. None where it is not known which would help.
func Targets(f breaker.Failure[record.FailureInfo], images []*protocol.Image) [][32]byte {
	switch {
	case !f.Whole:
		return f.Items
	case f.Info.Named != nil:
		return [][32]byte{*f.Info.Named}
	case f.Info.Limit < 0:
		return nil
	}
	return oldest(images, len(images)-f.Info.Limit)
}

// oldest are the first of the images, with all their places, until so many places
// are free.
func oldest(images []*protocol.Image, over int) [][32]byte {
	times := map[imagehash.Sum]int{}
	for _, im := range images {
		times[im.Sum]++
	}
	var out [][32]byte
	for _, im := range images {
		if n := times[im.Sum]; n > 0 && over > 0 {
			out = append(out, im.Sum)
			over -= n
			times[im.Sum] = 0 // all of its places go at once
		}
	}
	return out
}
