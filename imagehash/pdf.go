package imagehash

import "bytes"

const pdfSignature = "%PDF-"

func isPDF(b []byte) bool {
	return bytes.HasPrefix(textHead(b), []byte(pdfSignature))
}

// inspectPDF calls a PDF unsupported because it is no image. APIs take it as a
// document.
func inspectPDF([]byte) Inspection {
	return Inspection{Format: PDF, State: Unsupported, Detail: "is a document, not an image"}
}
