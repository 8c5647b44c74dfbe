package imagehash

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sample is an image file of the test data.
type sample struct {
	name string
	data []byte
}

const sampleFolder = "../testdata/images"

// samples reads the committed images, and all of the Go distribution's own where
// it is there.
func samples(t testing.TB) []sample {
	t.Helper()
	all := readImages(t, sampleFolder)
	if len(all) == 0 {
		t.Fatalf("no images in %s", sampleFolder)
	}
	if src := filepath.Join(goRoot(), "src", "image"); isFolder(src) {
		all = append(all, readImages(t, src)...)
	}
	return all
}

// goRoot is empty if there is no Go distribution.
func goRoot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func readImages(t testing.TB, folder string) (all []sample) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || decoderOf(path) == nil && stateByName(path) == "" {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, sample{filepath.Base(path), data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// readSample returns one committed image.
func readSample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(sampleFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decoderOf returns the decoder that judges a file, or nil where the standard
// library has none. It decodes all frames of a GIF.
func decoderOf(name string) func([]byte) (image.Rectangle, error) {
	switch filepath.Ext(name) {
	case ".png":
		return decodeBy(func(b []byte) (image.Image, error) { return png.Decode(bytes.NewReader(b)) })
	case ".jpeg":
		return decodeBy(func(b []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(b)) })
	case ".gif":
		return func(b []byte) (image.Rectangle, error) {
			g, err := gif.DecodeAll(bytes.NewReader(b))
			if err != nil {
				return image.Rectangle{}, err
			}
			return image.Rect(0, 0, g.Config.Width, g.Config.Height), nil
		}
	}
	return nil
}

func decodeBy(decode func([]byte) (image.Image, error)) func([]byte) (image.Rectangle, error) {
	return func(b []byte) (image.Rectangle, error) {
		m, err := decode(b)
		if err != nil {
			return image.Rectangle{}, err
		}
		return m.Bounds(), nil
	}
}

// stateByName is the state of files that have no decoder here.
func stateByName(name string) State {
	switch filepath.Ext(name) {
	case ".webp":
		return OK
	case ".bmp", ".tiff":
		return Unsupported
	}
	return ""
}

func formatByName(name string) Format {
	return Format(strings.TrimPrefix(filepath.Ext(name), "."))
}

// pngOf encodes m.
func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture(width, height), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gifOf(t testing.TB, width, height, frames int) []byte {
	t.Helper()
	g := gif.GIF{}
	for range frames {
		palette := color.Palette{color.Black, color.White}
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, width, height), palette))
		g.Delay = append(g.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// picture is noisy enough not to shrink to nothing.
func picture(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	copy(m.Pix, noise(len(m.Pix)))
	return m
}

// pngFile puts a PNG together from its chunks.
func pngFile(chunks ...[]byte) []byte {
	return append([]byte(pngSignature), bytes.Join(chunks, nil)...)
}

func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func ihdr(width, height uint32, depth, colour, interlace byte) []byte {
	data := binary.BigEndian.AppendUint32(nil, width)
	data = binary.BigEndian.AppendUint32(data, height)
	return chunk("IHDR", append(data, depth, colour, 0, 0, interlace))
}

// splitPNG returns the chunks of a sound PNG, each with length and checksum.
func splitPNG(b []byte) (chunks [][]byte) {
	for b = b[len(pngSignature):]; len(b) > 0; {
		n := 12 + binary.BigEndian.Uint32(b)
		chunks = append(chunks, b[:n])
		b = b[n:]
	}
	return chunks
}

// segment is a JPEG segment.
func segment(marker byte, data []byte) []byte {
	b := []byte{0xff, marker}
	b = binary.BigEndian.AppendUint16(b, uint16(len(data)+2))
	return append(b, data...)
}

// riff puts a WebP together from its chunks.
func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riffChunk(kind string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data)))
	b = append(b, data...)
	if len(data)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

// join puts pieces together without changing any of them.
func join(pieces ...[]byte) []byte {
	return bytes.Join(pieces, nil)
}

// inspectCase is a line of the tables in the tests of single formats.
type inspectCase struct {
	name          string
	data          []byte
	state         State
	width, height int
	detail        string // must be contained
}

func runInspectCases(t *testing.T, format Format, cases []inspectCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Inspect(c.data)
			if got.Format != format || got.State != c.state || got.Width != c.width || got.Height != c.height {
				t.Errorf("Inspect = %+v; want %s, %dx%d, %s", got, format, c.width, c.height, c.state)
			}
			if !strings.Contains(got.Detail, c.detail) || (got.Detail == "") != (c.state == OK) {
				t.Errorf("detail %q, want %q", got.Detail, c.detail)
			}
		})
	}
}
