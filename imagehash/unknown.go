package imagehash

import "bytes"

// strangers are binary formats that get sent as images although no API takes
// them and no Format names them.
var strangers = []struct {
	at    int
	magic string
	name  string
}{
	{0, "\xff\x0a", "JPEG XL"},
	{4, "JXL \r\n\x87\n", "JPEG XL"},
	{4, "jP  \r\n\x87\n", "JPEG 2000"},
	{0, "\xff\x4f\xff\x51", "JPEG 2000"},
	{0, "8BPS", "a Photoshop file"},
	{0, "qoif", "a QOI image"},
	{0, "DDS ", "a DirectDraw texture"},
	{0, "\x76\x2f\x31\x01", "an OpenEXR image"},
	{0, "PK\x03\x04", "a ZIP archive or an office document"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"},
	{0, "\x1f\x8b", "gzip"},
	{0, "\x28\xb5\x2f\xfd", "zstd"},
	{4, "ftyp", "MP4"},
	{0, "\x1a\x45\xdf\xa3", "a Matroska or WebM video"},
	{8, "WAVE", "WAV audio"},
	{8, "AVI ", "an AVI video"},
	{0, "OggS", "Ogg audio or video"},
	{0, "fLaC", "FLAC audio"},
	{0, "ID3", "MP3 audio"},
	{0, "\x7fELF", "a program"},
	{0, "MZ", "a program"},
}

// explainUnknown says what little can be said of bytes without a Format.
func explainUnknown(b []byte) string {
	for _, s := range strangers {
		if len(b) >= s.at && bytes.HasPrefix(b[s.at:], []byte(s.magic)) {
			return "looks like " + s.name
		}
	}
	start := b[:min(len(b), 512)]
	if len(bytes.Trim(start, "\x00")) == 0 {
		return "starts with nothing but zero bytes"
	}
	return isUnknown
}
