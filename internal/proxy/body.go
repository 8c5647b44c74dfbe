package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"imagebreaker/internal/protocol"
)

var errTooLarge = errors.New("larger than the body limit")

// read takes the whole body if it is within the limit. Of a larger one it
// gives back a reader that has it all, read or not. look, which may be nil, sees
// the body while it comes.
func read(r *http.Request, limit int64, look *protocol.Arriving) (body []byte, rest io.Reader, err error) {
	if r.ContentLength > limit {
		return nil, r.Body, nil
	}
	if look != nil {
		body, err = readLooking(r.Body, int(r.ContentLength), look)
		return body, nil, err
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

// worthALook tells a body that is worth the work of looking while it comes: it
// is long, of a known length, and not packed.
func worthALook(r *http.Request) bool {
	return r.ContentLength >= 128<<10 && encodingOf(r.Header) == ""
}

// readAtOnce is how much is read before it is looked at, in bytes.
const readAtOnce = 256 << 10

// readLooking reads a body of the given length, which is looked at beside the
// reading.
func readLooking(src io.Reader, length int, look *protocol.Arriving) ([]byte, error) {
	body := make([]byte, length)
	came := make(chan int, 1) // how much there is now
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		for n := range came {
			look.Look(body[:n])
		}
	}()
	n := 0
	for n < length {
		more, err := src.Read(body[n:min(length, n+readAtOnce)])
		n += more
		if err != nil && n < length {
			close(came)
			<-looked
			return nil, err
		}
		select { // only the newest counts
		case <-came:
		default:
		}
		came <- n
	}
	close(came)
	<-looked
	return body, nil
}
