// Package imagehash turns the bytes of an image, however they are dressed, into
// a [Sum], and says what the bytes are.
//
// The same picture travels as wrapped base64, as URL-safe base64 or as a data
// URL; [Base64] gives all of them one sum, so that a client which re-dresses an
// image between two attempts cannot make it look like a new one.
//
// [Inspect] looks at signatures, headers and the ends of chunks. It never
// decodes pixels, and it errs on one side only: a valid image is never called
// broken, while some broken ones pass as valid.
package imagehash
