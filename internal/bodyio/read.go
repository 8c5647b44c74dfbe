package bodyio

import (
	"bytes"
	"io"
	"slices"
)

// The first piece of a body of unknown length has room for most prompts.
const (
	firstPiece = 32 << 10
	laterPiece = 1 << 20
)

// ReadUpTo reads a body of unknown length if it is within the limit, in bytes. Of a
// larger one it gives back a reader that has it all, read or not. (A buffer that
// grows would come to several times the body.)
func ReadUpTo(src io.Reader, limit int64) (body []byte, rest io.Reader, err error) {
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
