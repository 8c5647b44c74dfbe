package imagehash

import (
	"bytes"
	"image"
	"slices"
	"testing"
)

// undetectable are files that a decoder refuses for reasons that only their
// pixels show.
var undetectable = map[string]string{
	"invalid-palette.png": "a pixel names a colour that the palette lacks",
}

// TestInspectAgreesWithDecoders wants every file that decodes to be ok with the
// right size, and every other one to be broken.
func TestInspectAgreesWithDecoders(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			got := Inspect(s.data)
			if want := formatByName(s.name); got.Format != want {
				t.Errorf("format %s, want %s", got.Format, want)
			}
			want, size := judge(s)
			if got.State != want {
				t.Errorf("%+v, want %s", got, want)
			}
			if !size.Empty() && (got.Width != size.Dx() || got.Height != size.Dy()) {
				t.Errorf("%dx%d, want %v", got.Width, got.Height, size)
			}
		})
	}
}

// judge returns the state that Inspect should see. The size is empty if there is
// no decoder to tell it.
func judge(s sample) (State, image.Rectangle) {
	decode := decoderOf(s.name)
	if decode == nil {
		return stateByName(s.name), image.Rectangle{}
	}
	size, err := decode(s.data)
	if err != nil && undetectable[s.name] == "" {
		return Broken, size
	}
	return OK, size
}

// TestInspectTruncated cuts every sound file at many points. Where a decoder
// refuses the rest Inspect must, too; where none is there to ask, always.
func TestInspectTruncated(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		if state, _ := judge(s); state != OK || undetectable[s.name] != "" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			decode := decoderOf(s.name)
			for _, n := range cutPoints(len(s.data)) {
				rest := s.data[:n]
				refused := decode == nil
				if !refused {
					_, err := decode(rest)
					refused = err != nil
				}
				if got := Inspect(rest); refused && got.State != Broken {
					t.Errorf("cut to %d of %d bytes: %+v", n, len(s.data), got)
				}
			}
		})
	}
}

// cutPoints returns about 50 lengths below size: the shortest, the longest, and
// some in between.
func cutPoints(size int) (points []int) {
	for n := range 20 {
		points = append(points, n, size-1-n)
	}
	points = append(points, 33, 41, 64)
	for part := range 16 {
		points = append(points, size*part/16)
	}
	points = slices.DeleteFunc(points, func(n int) bool { return n < 0 || n >= size })
	slices.Sort(points)
	return slices.Compact(points)
}

// TestInspectTrailingBytes appends what cameras, editors and careless programs
// leave behind an image.
func TestInspectTrailingBytes(t *testing.T) {
	t.Parallel()
	junk := map[string][]byte{
		"a line feed":      []byte("\n"),
		"zeros":            make([]byte, 5000),
		"noise":            noise(200 << 10), // more than is looked at from behind
		"a second picture": jpegOf(t, 8, 8),
		"a cut picture":    jpegOf(t, 8, 8)[:300],
		"text":             []byte("<html>\xff\xd8\xff\x89PNG"),
	}
	for _, s := range samples(t) {
		state, _ := judge(s)
		if state != OK {
			continue
		}
		for name, tail := range junk {
			t.Run(s.name+" and "+name, func(t *testing.T) {
				t.Parallel()
				want := Inspect(s.data)
				if got := Inspect(slices.Concat(s.data, tail)); got != want {
					t.Errorf("%+v, want %+v", got, want)
				}
			})
		}
	}
}

// TestInspectTextMode sends images through what programs do that take them for
// text. Images that hold nothing to be changed stay out of it.
func TestInspectTextMode(t *testing.T) {
	t.Parallel()
	modes := map[string]func([]byte) []byte{
		"UTF-8 with replacements": func(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("\ufffd")) },
		"UTF-8 replaced singly":   replaceEach,
		"Latin-1 to UTF-8":        func(b []byte) []byte { return []byte(string(latin1(b))) },
		"without non-ASCII":       func(b []byte) []byte { return bytes.ToValidUTF8(b, nil) },
		"LF to CRLF":              func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
		"CRLF to LF":              func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) },
		"without CR":              func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r"), nil) },
	}
	for _, s := range samples(t) {
		if state, _ := judge(s); state != OK || formatByName(s.name) != PNG {
			continue
		}
		for name, mangle := range modes {
			t.Run(s.name+" "+name, func(t *testing.T) {
				t.Parallel()
				got := Inspect(mangle(s.data))
				if got.Format != PNG || got.State != Broken || !bytes.Contains([]byte(got.Detail), []byte("in transfer")) {
					t.Errorf("%+v, want a PNG that was damaged in transfer", got)
				}
			})
		}
	}
}

// replaceEach turns every byte that is no ASCII into a replacement of its own.
func replaceEach(b []byte) []byte {
	var out bytes.Buffer
	for _, c := range b {
		if c < 0x80 {
			out.WriteByte(c)
		} else {
			out.WriteString("\ufffd")
		}
	}
	return out.Bytes()
}

func latin1(b []byte) (runes []rune) {
	for _, c := range b {
		runes = append(runes, rune(c))
	}
	return runes
}

// TestInspectTextModeByName covers the formats whose names survive such modes.
func TestInspectTextModeByName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		format Format
	}{
		{"video-001.q50.420.jpeg", JPEG},
		{"video-001.5bpp.gif", GIF},
		{"blue-purple-pink.lossy.webp", WebP},
	} {
		got := Inspect(replaceEach(readSample(t, c.name)))
		if want := (Inspection{Format: c.format}).broken(wasText); got.Format != want.Format || got.Detail != want.Detail {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}
