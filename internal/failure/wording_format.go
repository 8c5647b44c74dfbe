package failure

import "imagebreaker/internal/record"

// urls are addresses that can never be used.
func urls() []rule {
	return []rule{
		// Anthropic, Gemini
		permanent("robots", record.FetchForbiddenRobots, `robots\.txt|robots_txt|roboted`),
		// Azure, vLLM, llama.cpp, Anthropic, Vertex, Ollama
		permanent("not-allowed", record.URLNotAllowed,
			`(?:url|urls|uri|domain|host|hostname|scheme|ip address)(?: '[^']*'| <url>| \S+){0,2} (?:is|are) (?:currently )?(?:not|`+
				`dis|n't) ?(?:allowed|permitted|whitelisted|allowlisted)`,
			`allowed domains|local files? (?:is|are) not|cannot load local files|allowed-local-media-path`,
			`not in (?:the )?(?:allow|white)[- ]?list|not (?:one )?of the allowed (?:domains|hosts)|only https urls`,
			`(?:(?:image|video|audio|remote|external|http)s? urls?|url sources?) (?:is|are) not (?:currently |yet )?(?:supported|allowed|enabled)`,
			`(?:does|do)(?: not|n't) (?:currently |yet )?support (?:remote |external |http )?(?:image|video|media) urls`,
			`fetch(?:ing)? media from url: invalid url`,
			`(?:private|internal|loopback|reserved|non-public|local) (?:ip|address|network|host)|\bssrf\b`,
			`url_disallowed`),
		// OpenAI: 'Expected a base64-encoded data URL …, but got …'
		permanent("data-url-mime", record.UnsupportedFormat, `data url.{0,120}but got (?:an )?(?:unsupported|unknown) (?:mime|media)`),
		// OpenAI, Gemini, vLLM, llama.cpp, Dify, requests, pydantic
		permanent("url", record.InvalidURL,
			`(?:invalid|malformed|bad|illegal|unsupported) (?:or unsupported )?(?:image[ _]|file |media |video |audio |data )?(?:url|uri)\b`,
			`(?:image_)?(?:url|uri)['"\x60]? (?:must|should) (?:be|start|begin|have)`,
			`(?:url|uri) (?:is )?(?:invalid|malformed|not valid)`,
			`(?:url|uri)(?: \S+){0,2} (?:does not|doesn't) appear to be valid`,
			`not a valid (?:http |image |data |https )?(?:url|uri)|unsupported (?:url|uri) (?:scheme|protocol)`,
			`no scheme supplied|no connection adapters|valid (?:data uri or |http )?url\b.{0,20}(?:expected|required)`,
			`expected a base64-encoded data url|invalid data (?:url|uri)|input should be a valid url|missing schema`).
			but(`\((?:get|post|put|delete|patch) |redirect_?uri|callback|webhook|base_?url|proxy|must be base64|invalid base64`),
	}
}

// formats are kinds of media, and dress of media, that the upstream will not take.
func formats() []rule {
	return []rule{
		// Anthropic, Bedrock's Llama
		permanent("mismatch", record.MediaTypeMismatch,
			`media type.{0,80}but (?:the )?(?:image|file|it|pdf|document)?.{0,20}(?:appears|seems|is actually|looks)`,
			`(?:not|n't) match the (?:provided|specified|declared|given|stated|claimed) (?:media|mime|content|image|file)[- ]?(?:type|format)?`,
			`(?:mime|media|content)[- ]type mismatch|(?:declared|specified|claimed) as \S+ but`),
		// Anthropic's, pydantic's, Bedrock's and llama.cpp's validators
		permanent("type-enum", record.UnsupportedFormat,
			`(?:media_?type|mime_?type|image\.format|document\.format|video\.format)\b['"]?:? .{0,80}(?:input should be|`+
				`should be one of|must be one of|must satisfy|enum value|unsupported|not supported|invalid)`,
			`/(?:image|document|video)/format: |input_audio\.format['"]? must be`),
		// Gemini, OpenAI, xAI
		permanent("mime", record.UnsupportedFormat,
			`unsupported mime ?type|mime ?type(?: \S+){0,4} (?:not |un)(?:supported|allowed|recognized)`,
			`invalid mime ?type|only image types|mime ?type must be (?:an? )?(?:image|video|audio)\b`,
			`CANT (?:determine|detect|guess|infer)(?: \S+){0,2} (?:mime|(?:image|video|audio|media) type)`,
			`cannot find loader for`).
			but(`response_?mime`),
		// xAI, Dynamo, Cohere, new-api: an HTTP type needs a sign that media is meant
		permanent("content-type", record.UnsupportedFormat,
			`unsupported (?:media|content)[- ]?type.{0,80}(?:image|video|audio|pdf|octet|download|base64)`,
			`(?:http 415 for <url>|ITEM.{0,60}|<url>.{0,60})unsupported (?:media|content)[- ]?type`,
			`(?:content[- ]type|response).{0,60}(?:is )?not an? (?:image|video|audio)`,
			`(?:did|does)(?: not|n't) (?:return|contain|point to|resolve to) an? (?:valid )?(?:image|video|jpg|jpeg|png)`,
			`not an image (?:file|url)|unexpected content[- ]type.{0,60}(?:image|html)`,
			`content[- ]type\b.{0,80}\b(?:required|expected|wanted):? .{0,10}\b(?:image|video|audio)/`),
		// OpenAI, DashScope, Copilot, Kiro, Mistral, Groq
		permanent("format", record.UnsupportedFormat,
			`\b(?:heic|heif|avif|bmp|tiff?|svg|webp|gif|png|jpe?g)(?: images?| files?)? (?:is|are) (?:currently )?not supported`,
			`unsupported (?:input )?ITEM(?: file| data)?(?: format| type| encoding| codec| extension| media[ _]type|`+
				` mime ?type)?(?:[.:,;!('"]|$| in\b| for\b| provided| please)`,
			`unsupported (?:file|document|attachment) (?:format|type|extension)`,
			`FILE (?:file )?(?:format|type|media[ _]type|encoding|codec|extension)s?(?: \S+){0,4}? (?:not |un)(?:supported|`+
				`allowed|accepted|recogni[sz]ed|valid)`,
			`FILE (?:file )?(?:format|type) (?:is )?(?:illegal|invalid|unsupported)`,
			`invalid (?:FILE)[ _](?:format|type|extension)`,
			`(?:unknown|unrecogni[sz]ed) (?:image|video|audio|file|media) (?:format|type|codec)`,
			`FILE format (?:is )?not (?:recogni[sz]ed|known)`).
			but(`sure (?:that )?(?:your|the) (?:image|video|audio|file) is valid|unsupported media type|detail|no loader|\bmodel format|message format|response`),
		// OpenAI, in the sentence that Codex looks for; it lists formats behind it
		permanent("represent", record.DecodeFailed,
			`(?:not|n't) (?:represent|contain|appear to be|look like|seem to be) an? (?:valid )?(?:\S+ )?(?:ITEM|pdf)\b`),
		// OpenAI, Groq, xAI
		permanent("supported-list", record.UnsupportedFormat,
			`(?:supported|allowed|accepted|valid|following) (?:image |file |video |audio |media )*(?:formats?|`+
				`types?|extensions?|mime ?types?)\b.{0,40}\b(?:jpe?g|png|webp|gif|mp3|wav|mp4|pdf)`,
			`only (?:(?:\.|image/|')?(?:jpe?g|png|webp|gif|mp3|wav|mp4|pdf)\b\W*(?:and |or )*)+(?:images? |files? |`+
				`formats? |types? )*(?:are |is )?(?:supported|allowed|accepted)`,
			`must be (?:one of|an?|in) .{0,20}\b(?:jpe?g|png|webp|gif)\b`),
		// Google, Go, Python's binascii, LM Studio, llama.cpp, Dynamo, pydantic, Azure, Cloudflare
		permanent("base64", record.InvalidBase64,
			`base64(?: string| data| value| payload)? (?:is|was) (?:invalid|malformed|not valid)`,
			`base64 (?:decod\w*|encod\w*)(?: \S+){0,2} (?:fail\w*|error|invalid)`,
			`(?:invalid|illegal|malformed|bad|corrupt(?:ed)?) (?:ITEM )?\(?base64|(?:not|isn't) (?:a )?(?:valid )?base64`,
			"expected .?;base64,",
			`only base64 data|must be (?:a )?(?:valid )?base64|(?:^|[:-] )incorrect padding\W*$|non-base64 digit`,
			`excess data after padding|number of data characters|CANT (?:be )?decod\w*(?: \S+){0,3} base64`,
			`invalid image input|invalid image content|binascii\.error`).
			but(`thought_?signature|signature|authorization|\bheader\b|cursor|page_?token|credential|public key|certificate`),
		// OpenAI, Anthropic, Ollama, Copilot, Bedrock, Groq: the block is wrong, not the media
		permanent("block", record.MediaBlockSchema,
			`input tag '(?:image_?url|image|input_image|input_audio|video|video_url|audio|file|input_file|media|document)' found`,
			`invalid image source|image detail|image_url\.detail|image urls are only allowed|\bimages (?:is|are) (?:incompatible|not compatible) with`,
			`invalid type for '[^']*(?:image_url|image|input_audio|file_data|video_url)[^']*'`,
			`expected an? (?:image url|object)(?:,| but).{0,20}got`,
			`messages\.\d+\.content\.\d+\.(?:tool_result\.content\.\d+\.)?(?:image|document)\.\S+: (?:field required|extra inputs|input should be)`,
			`missing required parameter: '[^']*(?:image_url|file_data|input_audio|video_url)`,
			`(?:image_url|input_audio|video_url|image\.source|inline_?data)\S*: (?:field required|extra inputs|missing)`,
			`missing field .(?:url|image_url|media_type|mime_type|mimetype).`,
			`unknown parameter: '[^']*(?:content|output)\[\d+\]\.(?:image_url|image|input_audio|file|video_url)\.`,
			`#/messages/\S*/(?:image|document|video|audio)(?:/\S+)?: `),
	}
}
