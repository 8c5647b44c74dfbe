package failure

import "imagebreaker/internal/record"

// contents are the wordings of decoders: the bytes are no such media.
func contents() []rule {
	return []rule{
		// Pillow, through vLLM, SGLang, Triton, Transformers
		permanent("pillow", record.DecodeFailed,
			`cannot identify image|image has wrong mode|unidentifiedimage|image file is truncated|truncated file read|broken data stream`,
			`broken (?:png|jpeg|gif|webp|image) file|unrecognized data stream`,
			`image (?:data |file )?(?:is |was )?truncated|truncated (?:png|jpe?g|gif|webp|image)|premature end of`,
			`unsupported (?:bmp|gif|png|jpe?g|tiff?|webp|ico) (?:header|bitfields|compression|colou?r|bit depth|pixel)`,
			`(?:bad|corrupt) (?:png|jpe?g|gif|webp|huffman)|not a (?:png|jpe?g|gif|webp|bmp|tiff) file`,
			`buffer is not large enough|image data not large enough`),
		// Go, through Ollama and Go relays
		permanent("go-image", record.DecodeFailed,
			`image: unknown format`,
			`(?:png|jpeg|gif|webp|bmp|tiff|riff|vp8): (?:invalid|unsupported|short|too much|not enough|missing|unknown|bad|can't|unexpected)`,
			`decode (?:webp|png|jpe?g|gif) image|invalid (?:jpeg|png|gif|webp|riff|vp8) (?:format|header|data)`),
		// Rust's image crate, through TGI
		permanent("rust-image", record.DecodeFailed,
			`image format could not be determined|format error decoding|(?:the )?decoder for .{1,30} does not support`),
		// torchcodec, decord, PyAV, FFmpeg, OpenCV
		permanent("av", record.DecodeFailed,
			`failed to open input buffer|invalid data found when processing input|cannot find (?:video|audio) stream`,
			`no (?:video|audio|decodable) streams?\b|moov atom not found|could not find codec|video_reader\.cc`,
			`imdecode|(?:video|audio|clip) (?:has|contains) no (?:frames|streams|samples)`,
			`no (?:\w+ )?frames\b|error reading .{0,20}(?:video|audio) frame`),
		// libsndfile through soundfile, librosa
		permanent("sndfile", record.DecodeFailed,
			`format not recogni[sz]ed|error opening <_io|error in \w+ file|unknown (?:audio )?format`,
			`data in an unknown format|no 'data' chunk|libsndfile ?error`),
		// Anthropic, Gemini, SGLang, vLLM, Dynamo, Ollama, Mistral
		permanent("decode", record.DecodeFailed,
			`CANT (?:to )?(?:be )?(?:process|decod|pars|pre-?process|identify|interpret|recogni[sz]|understand|`+
				`validat|verify|extract|render|convert|transcod)\w*GAP (?:ITEM)\b`).
			but(notItem),
		// llama.cpp: "Failed to load image or audio file"; LM Studio, of WebP
		permanent("load", record.DecodeFailed, `CANT (?:to )?(?:load|read|open|get loaded)\w*GAP (?:ITEM)\b`).
			but(`<url>|` + notItem),
		// Mistral, DashScope, OpenAI
		permanent("passive", record.DecodeFailed,
			`(?:FILE)\b,?(?: \S+){0,3} (?:could ?n[o']t|could not|can ?not|can't|failed to) be (?:successfully )?(?:decoded|`+
				`processed|parsed|read|opened|identified|loaded|recogni[sz]ed|interpreted|rendered|validated|analy[sz]ed)`,
			`(?:ITEM)(?: \S+){0,1} (?:decod|process|pars)(?:e|ing) (?:error|failed|failure)`,
			`decod\w+ (?:failed|error) for (?:FILE)`).
			but(notItem),
		// Gemini, Mistral, Bedrock, DashScope
		permanent("broken", record.DecodeFailed,
			`(?:FILE)(?: file| data| input| content| bytes| payload| stream)?(?: \d+| at \S+ \d+| you provided|`+
				` provided| '[^']*')? (?:is|are|was|were|appears?(?: to be)?|seems?(?: to be)?|may be|might be|looks?)(?: \w+)? ?(?:corrupt\w*|`+
				`damaged|invalid|malformed|broken|unreadable|truncated|incomplete|not (?:an? )?valid|not readable|`+
				`undecodable)`).
			but(`\b(?:model|checkpoint|config\w*|weights|state|lock|cache|index|database|job|batch) (?:file|is)|file (?:id|name|path|extension)|` + notItem),
		// OpenAI, Google, DashScope, Go relays
		permanent("invalid", record.DecodeFailed,
			`\b(?:invalid|not an? valid|isn't a valid|corrupt(?:ed)?|malformed|unreadable|undecodable)(?: input|`+
				` base64| or corrupt(?:ed)?| or unsupported| or truncated)* (?:ITEM)(?: or \w+)?(?: (?:data|file|`+
				`content|bytes|input|payload|encoding|stream|buffer|header))*(?:[.:,;!)('"]|$| for| in| at| provided|`+
				` received| from| or| -|\n| \d)`,
			// Cloudflare
			`invalid (?:data|bytes|content) for (?:ITEM)(?:[.:,;!)]| -|$)`,
			// OpenAI: of an image that it could not parse
			`make sure (?:that )?(?:your|the) (?:ITEM) is valid`).
			but(`(?:image|video|audio|file) (?:size|count|url|id|name)\b`),
		// Dynamo, Mistral: an address, and no cause that is known
		suspect("load-url", record.FetchFailedUnspecified, `CANT (?:load|read|open|get)\w*(?: \S+){0,3}? (?:FILE)\b.{0,20}<url>`).
			but(`\b(?:model|weights|tokenizer|checkpoint|adapter|lora|config)\b`),
		// Anthropic: whatever it says, it says it of an image
		permanent("source-path", record.DecodeFailed, `\.(?:image|document|pdf)\.source\S*: \S`),
		// Zhipu and relays in front of it
		permanent("decode-zh", record.DecodeFailed, `(?:图片|图像|视频|音频).{0,12}(?:解析错误|格式错误|损坏|无法解析|无法识别|解码失败)`),
	}
}

// notItem is a noun that takes an image's name, or a fault that will pass.
const notItem = `\b(?:image|video|audio|media|multimodal|vision) (?:processor|encoder|model|preprocessor|service|` +
	`server|worker|backend|pipeline|module|library|tower|adapter|request|url|token|tag|placeholder|feature|` +
	`embedding|cache|queue)s?\b|\binternal (?:server )?error|try again|temporar\w*|retry later|unexpected error|` +
	`unknown error|server error`
