package proxy_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// compress applies a Content-Encoding, stacked ones from left to right.
func compress(t *testing.T, encoding string, b []byte) []byte {
	t.Helper()
	for e := range strings.SplitSeq(encoding, ", ") {
		var out bytes.Buffer
		var w io.WriteCloser
		switch e {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "deflate":
			w = zlib.NewWriter(&out)
		case "br":
			w = brotli.NewWriter(&out)
		case "zstd":
			z, err := zstd.NewWriter(&out)
			must(t, err)
			w = z
		}
		_, err := w.Write(b)
		must(t, err)
		must(t, w.Close())
		b = out.Bytes()
	}
	return b
}
