package imagehash

import (
	"crypto/sha256"
	"encoding/hex"
)

// Sum is the SHA-256 of an image's bytes. The zero value is the sum of nothing
// that exists; no bytes at all have the sum Of(nil).
type Sum [sha256.Size]byte

// Of returns the sum of b. It serves for decoded bytes, and for a URL or a file
// id as it was sent, where there are no bytes to look at.
func Of(b []byte) Sum {
	return sha256.Sum256(b)
}

// String returns all 64 hex digits, in lower case.
func (s Sum) String() string {
	return hex.EncodeToString(s[:])
}

// Log returns the first 16 hex digits, the form that logs show.
func (s Sum) Log() string {
	return hex.EncodeToString(s[:8])
}

// Short returns the first 12 hex digits, the form that texts for people show.
func (s Sum) Short() string {
	return hex.EncodeToString(s[:6])
}
