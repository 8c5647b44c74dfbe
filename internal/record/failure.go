package record

import "time"

// FailureInfo is what is remembered of a failure beside the items that it is
// attributed to. Nothing in it is a payload or an address.
type FailureInfo struct {
	Protocol  string
	Model     string
	Reason    Reason
	Message   string    // the upstream's own words, sanitized; may be empty
	Code      string    // the upstream's error code; may be empty
	Image     ImageInfo // the image to name: the one that the upstream named, or the first
	Named     *[32]byte // the sum of the image that the error named, in a failure of the whole set
	Unsure    bool      // it is attributed to all that may have been to blame
	Preflight bool      // it was never uploaded, inspecting it was enough
	Limit     int       // how many media parts the upstream takes, in a failure of the whole set; -1: not said
	// Conversation is the digest of the latest request that failed so: the same once
	// more is a repeat.
	Conversation [32]byte
}

// ImageInfo is what inspecting an image has shown. It is remembered, since to inspect
// one again costs as much as all the rest of a rejected request.
type ImageInfo struct {
	Sum   [32]byte
	Label string // the media type that it had, its beginning
	What  string // its size and what the bytes are, for people
}

// StateSubstituted is the state of a failure that is remembered by its placeholders
// alone, after a restart for example. Whose it was is not known any more.
const StateSubstituted = "repaired"

// Snapshot is a remembered failure as somebody may see it: nothing in it is a
// payload, a name, an address or an upstream's text.
type Snapshot struct {
	Signature string // 16 hex digits: by this it is forgotten
	Session   string // empty: none
	Protocol  string
	Model     string
	Reason    Reason
	What      string   // size and kind of the image, or of the first of several; empty if not known any more
	Items     []string // the sum prefixes of what it is attributed to
	State     string   // a breaker.State, or StateSubstituted
	Rejected  int      // requests so far
	Since     time.Time
	Remaining time.Duration // of the cool-off
}
