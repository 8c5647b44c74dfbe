package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxKept limits the names that are remembered long after their request, in bytes.
// Session ids and models that were seen have at most some hundred.
const maxKept = 256

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
