package failure

import (
	"slices"

	"imagebreaker/internal/record"
)

// wordings lists what upstreams say about media, the narrow kinds before the
// wide ones: the first that holds decides.
func wordings() []rule {
	return slices.Concat(sizes(), urls(), formats(), models(), documents(), fetches(), contents())
}

// sizes are limits: of pixels, of bytes, of items.
func sizes() []rule {
	return []rule{
		// Anthropic
		permanent("many-image", record.DimensionsManyImage, `many-images? requests?`),
		// Anthropic, Qwen-VL in vLLM and SGLang, DashScope, PIL
		permanent("dimensions", record.Dimensions,
			`(?:image|video|frame) (?:dimensions?|resolution|width|height|length and width|pixels?)`,
			`dimensions? (?:of the|of an?) image|max(?:imum)? allowed size: \d+ pixels|aspect ratio must`,
			`absolute aspect ratio|height:? ?\d+ (?:or|and|,) ?width|decompression ?bomb|image (?:is |was )?too small`,
			`(?:video|audio)(?: \S+){0,2} too (?:short|long)|(?:video|audio) duration`,
			`\bpixels\b.{0,60}(?:limit|maximum|exceed|at least|minimum)`,
			`(?:limit|maximum|exceeds?|at least|minimum).{0,60}\bpixels\b`).
			but(`embedding|ing the image resolution`), // Vertex: advice, of too many bytes
		// vLLM: zero is a model that takes none
		permanent("at-most-none", record.UnsupportedByModel, `at most 0 (?:image|video|audio)|you set (?:image|video|audio)=0\b`),
		// vLLM, Anthropic, Groq, Bedrock, Gemini, Ollama, Mistral
		permanent("too-many", record.TooManyMedia,
			`at most \d+ (?:image|video|audio)|maximum number of (?:images|videos|media)|too much media`,
			`too many (?:input )?(?:ITEM|attachments|documents|files|image_urls?)\b`,
			`\d+ (?:images|videos|media(?: items)?|documents) >|has \d+ (?:image|video|audio|document|pdf) files but `,
			`(?:number|count|amount|length) of (?:input |the )?(?:images?|videos?|media|documents|files|attachments|`+
				`image_urls?)\b.{0,60}(?:exceed|more|greater|larger|limit|must|maximum|cannot)`,
			`(?:max(?:imum)?|up to|at most|more than|limit(?:ed)? (?:of|to)|only|supports?|exceeds? (?:the )?(?:limit|`+
				`maximum) of) (?:of |is |allows? |supports? |accepts? |the )*(?:\d+|one|a single|single|two) (?:\S+ )?(?:images?|`+
				`videos?|media items?|image_urls?|documents)\b`,
			`single image per|you set (?:image|video|audio)=\d+\b.{0,80}\bbut found \d+ items`).
			but(`pdf pages|document pages must|\d+ ?(?:mb|kb|bytes)\b`),
		// vLLM: the one item fills more of the encoder than a start option left for it
		permanent("encoder-cache", record.TooLarge, `(?:image|video|audio) item .{0,60}exceeds .{0,30}encoder cache`),
		// Anthropic, Mistral
		permanent("pages", record.TooManyPages,
			`maximum of \d+ (?:pdf )?pages|too many pages|\d+ pages.{0,40}(?:more than|exceed|maximum|limit)`,
			`(?:exceed|more than|maximum|limit)\w*(?: \S+){0,6} pages\b|page limit`),
		// Anthropic, LiteLLM, DashScope, OpenAI, Mistral, Groq
		permanent("bytes", record.TooLarge,
			`FILE\b(?: \S+){0,6} (?:exceeds?|exceeded|exceeding|is over|is above|larger than|bigger than|greater than|`+
				`must be (?:less|smaller) than|must not exceed|cannot exceed|should be (?:less|smaller) than)\b.{0,60}(?:\b\d+ ?(?:[kmg]i?b|`+
				`bytes)\b|limit|maximum|max|allowed)`,
			`FILE (?:file )?(?:size |bytes )?(?:is |was |are )?too (?:large|big)|FILE_(?:too_large|size_exceeded)`,
			`max bytes per data-uri|max(?:imum)? (?:allowed )?(?:image|video|audio|file|pdf) (?:file )?size`,
			`(?:image_url|file_data|input_audio\S*)'?:? string too long|exceeds? (?:the )?api limit`,
			`image (?:file )?size`).
			but(`tokens?\b|image size '|generat`),
		// Anthropic, OpenAI, DashScope
		permanent("empty", record.EmptyImage,
			`FILE(?: file| data| content| input)? (?:cannot|can not|can't|must not|should not|may not) be empty`,
			`FILE(?: file| data| content| input)? (?:is|was) empty`,
			`(?:empty|zero-length|zero-byte|0-byte) (?:ITEM|pdf|document)\b|empty base64`,
			`(?:image|video|audio|pdf) has (?:no data|zero bytes|0 bytes)`).
			but(`(?:file|document) (?:list|name|id)`),
	}
}

// documents are PDFs, and files by their id.
func documents() []rule {
	return []rule{
		// Anthropic; reported to heal
		suspect("pdf-process", record.PDFProcessFailed,
			`could not process pdf|document has no pages|CANT (?:process|pars)\w*(?: \S+){0,3} (?:pdf|document)\b`).
			but(`password|encrypted|corrupt|damaged|invalid`),
		// Anthropic, Mistral, pypdf, PDFium, MuPDF
		permanent("pdf", record.PDFInvalid,
			`pdf specified|password[- ]protected`,
			`pdf:?(?: \S+){0,4} (?:password|encrypted|invalid|corrupt\w*|malformed|damaged|not (?:a )?valid|not supported yet|could not be)`,
			`(?:invalid|corrupt(?:ed)?|malformed|encrypted|damaged|not a valid|not a) pdf\b|pdfium|really a pdf`,
			`eof marker not found|cannot open broken document|file has not been decrypted`),
		// Anthropic, OpenAI, Gemini: the id says that a file is meant
		permanent("file-id", record.FileNotFound,
			`(?:file|document) not found:? '?"?file[-_]|no such file object`,
			`\bfile[-_][\w-]{6,}['"]?\]? (?:was |is |could )?(?:not (?:be )?found|does not exist|has (?:expired|been deleted)|expired)`,
			`access the file \S+ or it may not exist`,
			`files? (?:with id|id) \S+ (?:not found|does not exist|was not found)|(?:file|image)_file_not_found`),
		// Mistral: a file just uploaded is not visible at once
		suspect("file-gone", record.FileNotFound, `^file not found\.?$`),
		// OpenAI, Azure, DashScope: the picture is named, not the prompt
		permanent("policy-image", record.Policy, ownImage+`(?: \S+){0,8} (?:not allowed|safety|policy|policies|flagged|inappropriate|moderation|blocked|sensitive|`+
			`violat\w*|prohibited|unsafe)|input image data may contain`),
	}
}
