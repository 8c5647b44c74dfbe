package failure

import "imagebreaker/internal/record"

// models are the wordings of a model or server that takes no such media.
func models() []rule {
	return []rule{
		// OpenRouter and those who speak like it
		permanent("no-endpoint", record.UnsupportedByModel, `no endpoints found that support (?:SENSE)\b`),
		// llama.cpp, Mistral, vLLM, Azure
		permanent("sense-unsupported", record.UnsupportedByModel,
			`SENSE(?: inputs?| contents?| uploads?| parts?| blocks?| attachments?| messages?| understanding| modality|`+
				` data| in \S+(?: \S+)?| for \S+(?: \S+)?)*['"\x60]? ISNT (?:supported|available|enabled|allowed|`+
				`accepted)`,
			`SENSE ?(?:inputs?|contents?)? (?:is|are) unsupported`,
			`SENSE(?: inputs?| contents?) (?:is|are) (?:disabled|only supported)`).
			but(`file://|image urls (?:is|are) not|(?:image|video|audio|file) (?:urls?|formats?|types?|sizes?) `),
		// Ollama, relays, Bedrock, Fireworks, xAI, Copilot
		permanent("does-not-support", record.UnsupportedByModel,
			`(?:does|do|did|will|would)(?: not|n't) (?:currently |yet )?(?:support|accept|take|allow|handle|process|`+
				`have|see|view|understand|read)(?: \S+){0,3}? ['"\x60]?(?:SENSE)\b`,
			`cannot (?:accept|handle|see|view|understand) (?:SENSE)\b`,
			`(?:no|lacks?|without) (?:vision|image|multimodal) (?:support|capabilit\w+|encoder|tower|adapter|input)`,
			`not support(?:ed)? (?:image|vision|video|audio|multimodal)(?: input|s)?\b`,
			`\bmodel\b.{0,80}(?:not|n't) (?:supported|enabled|available) for (?:vision|image|video|audio|multimodal)(?: inputs?)?\b`).
			but(
				`(?:image|video|audio|file) (?:urls?|formats?|types?|sizes?|detail|resolution|edits?|mime)\b|\bbeta\b`,
				`file (?:search|api|path|system|upload)|visual studio|(?:have|has) (?:access|permission)`),
		// vLLM, SGLang, LM Studio
		permanent("text-only", record.UnsupportedByModel,
			`(?:not|isn't|n't) (?:an? )?(?:multimodal|multi-modal|vision|vlm|vision[- ]language|image)(?:[- ](?:capable|enabled|language))? (?:model|llm)`,
			`not (?:multimodal|multi-modal|vision[- ](?:capable|enabled))|text[- ]only`,
			`(?:accepts?|supports?|takes?|allows?|handles?) only text\b`,
			`only (?:accepts?|supports?|takes?|allows?) text\b|only text (?:tool_result )?(?:inputs?|contents?|messages?|blocks?|parts?) (?:is|are)`,
			`non-(?:multimodal|vision)`,
			`(?:requires?|need|use|choose|select|try|with) an? (?:vision|multimodal|multi-modal)[- ]?(?:capable |enabled |language )?model`),
		// llama.cpp, TensorRT-LLM, Mistral, vLLM, SGLang, DashScope
		permanent("part-type", record.UnsupportedByModel,
			`(?:unsupported|unknown|unexpected|unrecogni[sz]ed|invalid|not supported) (?:content |message |input )?(?:part|`+
				`content|modality|modalities|block|item|chunk)(?: part| block| item)?(?: type)?s?:? ?(?:in content)?.{0,3}(?:SENSE)\b`,
			`expected .text.,? (?:but )?(?:received|got|found) .(?:SENSE)\b|unknown part type: .?(?:SENSE)|unknown variant .(?:SENSE)., expected`,
			`invalid value: ['"]?(?:image_url|input_image|input_file|input_audio|video_url|file)\b['"]?(?:\.|$)`),
		// Groq, Mistral, pydantic, Go
		permanent("string-content", record.UnsupportedByModel,
			`content['"\x60\]]* (?:must|should) be a (?:valid )?string|\bcontent: input should be a valid string`,
			`invalid type: sequence, expected a string|unmarshal array into go .{0,80}content of type string`,
			`content['"]?: expected (?:a )?string, (?:received|got) array`),
		// OpenAI, Azure
		permanent("certain-models", record.UnsupportedByModel,
			`only supported (?:by|on|for|with|in) (?:certain|vision|multimodal|some|specific|select\w*) (?:\S+ )?models`,
			`(?:parameter|image_url|image)\S* is not supported (?:for|by|with|on) (?:the |this )?(?:selected |current |given )?model`,
			`unsupported use of '(?:SENSE)'`),
		// llama.cpp, Ollama, vLLM, Fireworks, LM Studio
		permanent("no-projector", record.UnsupportedByModel,
			`mmproj|required for image input|vision add-?on (?:is )?not (?:loaded|available|installed)|no (?:image|vision|multimodal) (?:processor|projector|encoder)`,
			`cannot preprocess image.{0,60}image_ranges`),
		// Zhipu, DashScope, new-api
		permanent("model-zh", record.UnsupportedByModel, `不支持(?:图片|图像|视频|音频|多模态)|模型.{0,12}不支持.{0,8}(?:图|视频|音频)`),
	}
}

// fetches are failures to get the media that tell no status and no network fault.
func fetches() []rule {
	return []rule{
		// Triton, Dynamo, SGLang, FastAPI: the server lacks a library
		suspect("decoder", record.DecoderMissing,
			`no (?:decoder|video|audio|image) backend|nobackenderror`,
			`no module named '?(?:decord|torchcodec|av|librosa|soundfile|cv2|pillow\w*|imageio|moviepy|pydub|torchaudio)`,
			`(?:decord|torchcodec|pyav|librosa|soundfile|opencv|ffmpeg|pillow\S*|libheif)\b.{0,40}(?:not (?:found|installed|available)|is required|missing)`,
			`(?:please|pip) install .{0,40}(?:decord|torchcodec|librosa|soundfile|opencv|ffmpeg|pillow|\[audio\]|\[video\]|vllm\[)`),
		// DashScope: the media host left a header out
		suspect("length-header", record.FetchHeaderMissing,
			`missing content-length|no content-length|content-length.{0,30}(?:missing|not (?:found|provided|present))`),
		// DashScope: the host refuses, in words
		permanent("denied", record.Fetch4xx,
			`(?:authorization|authori[sz]ed|permission|permitted|allowed) to (?:access|download|fetch|read) the (?:media|`+
				`image|video|audio|file|url|resource)\b`,
			`(?:download|fetch|retriev)\w*.{0,80}\b(?:access denied|forbidden|unauthorized|not found|\bgone)\b`,
			`(?:access denied|forbidden)\b.{0,60}(?:download|fetch|retriev)\w*`).
			but(`model|robot`),
		// Anthropic, Gemini, Mistral, DashScope, llama.cpp, OpenAI
		suspect("fetch", record.FetchFailedUnspecified,
			`CANT (?:to )?(?:download|fetch|retriev|access|reach|obtain)\w*(?: \S+){0,4}? (?:FILE\b|image_url|url\b|<url>|content.{0,40}\burl)`,
			`(?:FILE|image_url|url|content)\b(?: \S+){0,3} (?:could ?n[o']t|cannot|can't|can not|could not|failed to) be (?:downloaded|fetched)`,
			`(?:FILE|image_url|url)\b(?: \S+){0,3} (?:could ?n[o']t|cannot|can't|can not|could not) be (?:retrieved|accessed|reached|obtained)`,
			`(?:image|media|video|file|url) (?:download|fetch|retrieval) (?:failed|error|failure)|failed_to_download`,
			`(?:exceeded \d+|too many) redirects`).
			but(`\b(?:model|weights|tokenizer|checkpoint|adapter|lora|config|storage|system|volume|disk|cache|batch|` +
				`search|permission)\b|cannot identify|decod`),
	}
}
