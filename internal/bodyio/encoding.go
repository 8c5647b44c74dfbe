package bodyio

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds what a zstd stream may make its reader allocate; RFC 9659
// lets HTTP senders use 8 MiB.
const maxWindow = 8 << 20

// Bounds of stacked encodings: how many, and what one may hold for the next, in
// bytes. A layer of nothing but empty blocks costs time and never shows in what
// comes out of the last one.
const (
	maxLayers  = 3
	maxBetween = 32 << 20
)

// EncodingOf is the Content-Encoding of a message, whether it stands in one line
// or in several.
func EncodingOf(h http.Header) string { return strings.Join(h.Values("Content-Encoding"), ",") }

// Decoded undoes a Content-Encoding, given as it stands in the header, of at most
// three stacked ones. The error of an unknown encoding names it.
func Decoded(encoding string, r io.Reader) (io.Reader, error) {
	layers := strings.Split(encoding, ",")
	if len(layers) > maxLayers {
		return nil, fmt.Errorf("%d stacked encodings", len(layers))
	}
	for i := len(layers) - 1; i >= 0; i-- { // the last one was applied last
		var err error
		if i < len(layers)-1 {
			r = io.LimitReader(r, maxBetween)
		}
		if r, err = undo(strings.ToLower(strings.TrimSpace(layers[i])), r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func undo(encoding string, r io.Reader) (io.Reader, error) {
	switch encoding {
	case "", "identity":
		return r, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "deflate":
		return deflated(r)
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d, nil
	}
	return nil, fmt.Errorf("unknown content encoding %.20q", encoding)
}

// deflated reads deflate in both forms that are met: with zlib's head, as RFC
// 9110 has it, and bare.
func deflated(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}

// ErrTooLarge is of a body that is larger than the limit.
var ErrTooLarge = errors.New("larger than the body limit")

// Inflate undoes the encoding of a whole body of at most limit bytes inflated. The
// body of none is returned as it is.
func Inflate(encoding string, body []byte, limit int64) ([]byte, error) {
	if e := strings.ToLower(strings.TrimSpace(encoding)); e == "" || e == "identity" {
		return body, nil
	}
	r, err := Decoded(encoding, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(out)) > limit:
		return nil, ErrTooLarge
	}
	return out, nil
}
