package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
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
	switch {
	case r.ContentLength > limit:
		return nil, r.Body, nil
	case r.ContentLength > 0:
		body = make([]byte, r.ContentLength)
		_, err = io.ReadFull(r.Body, body)
		return body, nil, err
	case r.ContentLength == 0:
		return nil, nil, nil
	}
	return readPieces(r.Body, limit)
}

// The first piece of a body of unknown length has room for most prompts.
const (
	firstPiece = 32 << 10
	laterPiece = 1 << 20
)

// readPieces reads a body of unknown length. A buffer that grows would come to
// several times the body.
func readPieces(src io.Reader, limit int64) (body []byte, rest io.Reader, err error) {
	var pieces [][]byte
	var read []io.Reader
	room := int64(firstPiece)
	for total := int64(0); total <= limit; room = laterPiece {
		var piece bytes.Buffer
		piece.Grow(int(room) + bytes.MinRead) // the reader needs room to see the end
		n, err := piece.ReadFrom(io.LimitReader(src, room))
		if err != nil {
			return nil, nil, err
		}
		total += n
		pieces, read = append(pieces, piece.Bytes()), append(read, &piece)
		if n < room && total <= limit {
			return slices.Concat(pieces...), nil, nil
		}
	}
	return nil, io.MultiReader(append(read, src)...), nil
}
