package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

var errTooLarge = errors.New("larger than the body limit")

// longBody is the length in bytes from which on it is worth the work to look at a
// body while it comes.
const longBody = 128 << 10

// isLong tells such a body. Its length has to be known, and it must not be packed.
func (p *Proxy) isLong(r *http.Request) bool {
	return p.longFrom <= r.ContentLength && r.ContentLength <= p.BodyLimit && encodingOf(r.Header) == ""
}

// read takes the whole body if it is within the limit. Of a larger one it
// gives back a reader that has it all, read or not.
func read(r *http.Request, limit int64) (body []byte, rest io.Reader, err error) {
	if r.ContentLength > limit {
		return nil, r.Body, nil
	}
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(r.ContentLength) + bytes.MinRead) // the reader needs room to see the end
	}
	n, err := buf.ReadFrom(io.LimitReader(r.Body, limit+1))
	switch {
	case err != nil:
		return nil, nil, err
	case n > limit:
		return nil, io.MultiReader(bytes.NewReader(buf.Bytes()), r.Body), nil
	}
	return buf.Bytes(), nil, nil
}
