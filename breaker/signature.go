package breaker

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// Signature names a failure: the SHA-256 over its scope and its sorted offending
// items.
type Signature [sha256.Size]byte

// Sign returns the signature of a failure in scope that is attributed to items, in
// whatever order they come.
func Sign(scope string, items []Item) Signature {
	sorted := slices.SortedFunc(slices.Values(items), func(x, y Item) int { return bytes.Compare(x[:], y[:]) })
	h := sha256.New()
	// The length keeps a scope's end from being taken for an item.
	h.Write(binary.AppendUvarint(nil, uint64(len(scope))))
	h.Write([]byte(scope))
	for _, it := range sorted {
		h.Write(it[:])
	}
	return Signature(h.Sum(nil))
}

// String is the signature's first 16 hex digits, as people and logs see it.
func (s Signature) String() string { return hex.EncodeToString(s[:8]) }
