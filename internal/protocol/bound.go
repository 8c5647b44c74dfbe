package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// ErrTooManyImages is Scan's error for a body with more than 16384 media parts.
// It is forwarded unseen, as one with too many values is.
var ErrTooManyImages = errors.New("body has too many media parts")

const (
	// maxImages is several times what any API takes in one request (Gemini:
	// 3,600). Each costs some hundred bytes beyond its own.
	maxImages = 1 << 14
	// maxKept bounds the names that are remembered long after their request, in
	// bytes. Session ids and models that were seen have at most some hundred.
	maxKept = 256
)

// bounded is a name that may be remembered: it keeps nothing else of the request
// alive, and one that is too long becomes its beginning with a hash, so that two
// stay two.
func bounded(name string) string {
	if len(name) <= maxKept {
		return strings.Clone(name)
	}
	sum := sha256.Sum256([]byte(name))
	return strings.ToValidUTF8(name[:maxKept/2], "") + "…" + hex.EncodeToString(sum[:16])
}
