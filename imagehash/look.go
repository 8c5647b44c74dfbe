package imagehash

// Format names what bytes are, by their content alone.
type Format string

// The formats that Inspect tells apart.
const (
	PNG  Format = "png" // APNG too
	JPEG Format = "jpeg"
	GIF  Format = "gif"
	WebP Format = "webp"

	HEIC Format = "heic" // any HEIF that is not AVIF
	AVIF Format = "avif"
	BMP  Format = "bmp"
	ICO  Format = "ico" // icons and cursors
	TIFF Format = "tiff"
	SVG  Format = "svg"
	PDF  Format = "pdf"

	HTML       Format = "html"
	JSON       Format = "json"
	Text       Format = "text" // XML other than SVG and HTML too
	LFSPointer Format = "lfs_pointer"
	Empty      Format = "empty"
	Unknown    Format = "unknown"
)

// State says what may be expected of bytes that a vision API gets as an image.
type State string

// The states of a Look.
const (
	OK          State = "ok"          // nothing wrong can be seen without decoding pixels
	Unsupported State = "unsupported" // a format that no vision API takes as an image
	Broken      State = "broken"      // no image, or one that cannot be decoded
)

// Look is what Inspect saw.
type Look struct {
	Format Format
	// Width and Height are in pixels. They are 0 if they are not known.
	Width, Height int
	State         State
	// Detail is what is wrong, as a predicate ("is cut off"), for people. It
	// never holds content of the file. Empty if the state is OK.
	Detail string
}

const (
	isCutOff   = "is cut off"
	hasNoImage = "holds no pixels"
	isDamaged  = "has damage in its structure"
)

// maxSteps bounds how many chunks, segments or blocks of one file are looked at.
// No real image has as many; what lies behind them gets the benefit of the doubt.
const maxSteps = 1 << 18

// Inspect says what b is and whether it can be an image that a vision API takes.
//
// It reads signatures, headers and the lengths in chunks, and decodes at most the
// first few rows of a PNG. Its work is bounded however large b is and whatever it
// claims to hold.
func Inspect(b []byte) Look {
	if len(b) == 0 {
		return Look{Format: Empty, State: Broken, Detail: "holds no bytes"}
	}
	for _, binary := range binaryFormats {
		if binary.matches(b) {
			return explainTextMode(b, binary.inspect(b))
		}
	}
	return inspectText(b)
}

// binaryFormats are tried in this order.
var binaryFormats = []struct {
	matches func([]byte) bool
	inspect func([]byte) Look
}{
	{isPNG, inspectPNG},
	{isJPEG, inspectJPEG},
	{isGIF, inspectGIF},
	{isWebP, inspectWebP},
	{isHEIF, inspectHEIF},
	{isBMP, inspectBMP},
	{isICO, inspectICO},
	{isTIFF, inspectTIFF},
	{isPDF, inspectPDF},
	{isMangled, inspectMangled},
}

// ok returns l as a sound image.
func (l Look) ok() Look {
	l.State = OK
	return l
}

// broken returns l with detail as the reason why it cannot be decoded.
func (l Look) broken(detail string) Look {
	l.State, l.Detail = Broken, detail
	return l
}

// unsupported returns l as an image that no vision API takes.
func (l Look) unsupported() Look {
	l.State, l.Detail = Unsupported, "is in a format that vision APIs do not take"
	return l
}

// sized returns l with a size; one that does not fit into int is not known.
func (l Look) sized(width, height uint64) Look {
	const most = 1<<31 - 1
	if width <= most && height <= most {
		l.Width, l.Height = int(width), int(height)
	}
	return l
}
