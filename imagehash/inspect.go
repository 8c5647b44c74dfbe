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

// The states of a Inspection.
const (
	OK          State = "ok"          // nothing wrong can be seen without decoding pixels
	Unsupported State = "unsupported" // a format that no vision API takes as an image
	Broken      State = "broken"      // no image, or one that cannot be decoded
)

// Inspection is what Inspect saw.
type Inspection struct {
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
func Inspect(b []byte) Inspection {
	if len(b) == 0 {
		return Inspection{Format: Empty, State: Broken, Detail: "holds no bytes"}
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
	inspect func([]byte) Inspection
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

// ok returns in as a sound image.
func (in Inspection) ok() Inspection {
	in.State = OK
	return in
}

// broken returns in with detail as the reason why it cannot be decoded.
func (in Inspection) broken(detail string) Inspection {
	in.State, in.Detail = Broken, detail
	return in
}

// unsupported returns in as an image that no vision API takes.
func (in Inspection) unsupported() Inspection {
	in.State, in.Detail = Unsupported, "is in a format that vision APIs do not take"
	return in
}

// sized returns in with a size; one that does not fit into int is not known.
func (in Inspection) sized(width, height uint64) Inspection {
	const most = 1<<31 - 1
	if width <= most && height <= most {
		in.Width, in.Height = int(width), int(height)
	}
	return in
}
