package failure

import (
	"slices"

	"imagebreaker/internal/record"
)

// vetoes are faults that no other media would escape. They go before every
// wording, because they are told in the same sentences: an engine that runs out
// of memory while it loads an image says so in the words for a broken image.
func vetoes() []rule {
	return slices.Concat(infrastructure(), rateLimits(), unrelated())
}

// infrastructure is the upstream's own machinery.
func infrastructure() []rule {
	return []rule{
		// torch, CUDA, Ollama, NumPy, the kernel
		none("oom", record.OutOfMemory,
			`out of memory|outofmemory|oom[- ]?kill|\bcuda (?:runtime )?error|\bcudnn|\bcublas|\bhip error`,
			`cannot allocate memory|unable to allocate|failed to allocate|\bmemoryerror`,
			`not enough (?:gpu |system )?memory|requires more system memory|no space left on device`),
		// Docker, Kubernetes
		none("image-pull", record.InfraImagePull,
			`manifest (?:for|unknown)|pull access denied|imagepullbackoff|errimage`,
			`pull(?:ing)? (?:the )?(?:docker |container )?image|error response from daemon`,
			`(?:container|docker|sandbox) image|no such image|unable to find image|image pull|pull rate limit`,
			`image (?:manifest|layers?|platform|build for)\b|host platform|invalid reference format`),
		// Gemini, DashScope: an upload that is not ready yet
		none("processing", record.FileProcessing,
			`not in an? active state|(?:parsing|processing|upload(?:ing)?) (?:is )?(?:still )?in progress`,
			`still (?:being )?(?:process|pars|upload)\w*`,
			`not (?:yet )?(?:been )?(?:ready|fully processed|finished processing)`,
			`not yet (?:ready|processed|available)`),
	}
}

// rateLimits are limits of time, money and length, and what an overload leads to.
func rateLimits() []rule {
	return []rule{
		// Bedrock: a throttle that speaks of tokens, so before the context's length
		softly("please-wait", record.RateLimit, `please wait before|throttl|slow down`),
		// Anthropic, OpenAI, OpenRouter, DashScope
		none("billing", record.Billing,
			`credit balance|balance is insufficient|billing|insufficient (?:credits?|balance|funds|quota)`,
			`insufficient_quota|payment required|exceeded your current quota|purchase credits|more credits`,
			`spend(?:ing)? limit|arrearage|overdue|out of credits|account (?:is |has been )?(?:suspended|deactivated)`),
		// OpenAI, OpenRouter, Gemini, Copilot, Groq
		softly("rate", record.RateLimit,
			`rate[- _]?limit|too many requests|quota|resource[_ ]?(?:has been )?exhausted`,
			`(?:requests?|tokens?|images?|input-images) per (?:second|sec|min|minute|hour|day)|too many concurrent`,
			`concurrency limit`),
		// OpenAI, Anthropic, vLLM, llama.cpp, TGI, Gemini, DashScope, LiteLLM
		none("context", record.ContextLength,
			`context[_ -]?(?:length|window|size|limit)|contextwindow`,
			`maximum (?:model|prompt|sequence|input|context) length|max_model_len|max_seq_len|prompt is too long`,
			`prompt .{0,40}too long|(?:input|prompt) (?:is )?too long|number of (?:image |input |prompt )?tokens`,
			`token count|\d+ tokens?\b.{0,40}(?:>|exceed|limit|maximum)`,
			`(?:exceed|less than|more than|at most|maximum of|limit of|fewer than).{0,30}\btokens\b`,
			`too many (?:input |image |prompt )?tokens|token limit|reduce the length|range of input length`),
		// Cloudflare's problem documents
		none("edge", record.GatewayTimeout, `\btcp (?:connection|handshake)|origin (?:web )?server`),
		// Anthropic, Ollama, Gemini, LiteLLM, xAI
		softly("overload", record.Overloaded,
			`overloaded|server (?:is )?(?:too )?busy|at (?:full )?capacity|over capacity`,
			`capacity (?:\w+ )?(?:exceeded|constraints)|high demand|maximum pending requests|queue (?:is )?full`,
			`service (?:is )?(?:currently |temporarily )?unavailable|serviceunavailable`,
			`model is (?:currently )?(?:busy|unavailable)`),
		// LiteLLM, SDKs
		softly("request-timeout", record.Timeout,
			`request timed out|apitimeouterror|model ?timeout|request timeout|upstream (?:request )?timed? ?out`),
		// Bedrock, OpenAI and Azure in a stream, Anthropic
		softly("stream", record.ServerError,
			`while streaming the response|had an error while processing your request|model produced invalid`,
			`stream(?:ing)? (?:was )?(?:interrupted|closed|ended) `),
		// vLLM, Ollama, llama.cpp, Envoy, DashScope, gateways
		softly("infra", record.Infra,
			`enginecore|engine (?:is )?(?:dead|died|core)|enginedead|loading model|currently loading`,
			`failed to load (?:the )?model|model runner`,
			`runner (?:process )?(?:has )?(?:terminated|crashed|died|no longer)|healthy upstream|pool exhausted`,
			`upstream (?:connect error|prematurely|pool)|^(?:api)?connection error\.?$`,
			`worker\w* .{0,30}(?:unavailable|died|crashed|exited|terminated|lost)|\bnccl\b`,
			`process (?:has )?(?:died|crashed|exited|terminated)`,
			`(?:postgres|mysql|redis|mongo|kafka|rabbitmq|etcd|sqlite|elasticsearch|clickhouse)\w*|database`,
			`segmentation fault|core dumped|read-only file system|permission denied: '?/`),
	}
}

// unrelated are faults of the request that do not lie in its media.
func unrelated() []rule {
	return []rule{
		// OpenAI, OpenRouter, Ollama, Bedrock's and Gemini's picture makers
		none("making", record.ImageGeneration,
			`(?:image|video|picture|audio) (?:generation|creation|synthesis|output|editing)`,
			`generat(?:e|ing) (?:an? |the )?(?:images?|videos?|pictures?)`,
			`generated (?:image|video|picture)s?|output modalit|response[_ ]?modalit|text-to-(?:image|video|speech)`,
			`mask (?:image|prompt)|\bmask\b.{0,30}\bprompt|negative prompt|inpaint|imagen\b|dall-?e|gpt-image`,
			`image_generation_call`).
			but(`(?:image|video|audio|vision) input|unsupported mime ?type|invalid image file`),
		// Anthropic, OpenAI, Gemini, OpenRouter, Bedrock
		none("tools", record.ToolSchema,
			`^tools?[.\[]|\btools\.\d|tools\[\d|\btool[_ ](?:use|calls?|choice|ids?|names?|config)\b|tool_use_id`,
			`tool_call_id|tool_calls|toolconfig|toolspec|input_?schema|function(?:_| )(?:calls?|calling|declarations?|names?|responses?)\b`,
			`functions? with (?:no )?(?:parameters|name)|functions?\[\d|function '|\btool error`,
			`no tools? (?:with|found|named)|json schema|jsonschema|expected .function.|mcp (?:tool|server)`).
			but(
				`(?:image|video|audio|pdf)s?(?: \S+){0,3} (?:in|inside|within|as|for) (?:the )?(?:tool|function)`,
				`could not process image|image (?:exceeds|cannot be empty)`,
				`tool.{0,40}(?:contains?|includes?) (?:an? )?image`,
				`contents?\[\d+\]\.parts\[\d+\]\.function_?response.{0,20}\.parts`,
				`messages\.\d+\.content\.\d+\.tool_result\.content\.\d+\.(?:image|document)`),
		// Anthropic, Azure, OpenRouter, Ollama, DeepSeek: the name is the user's
		none("model", record.ModelNotFound,
			`^model: \S+$|no endpoints found for|no endpoints found matching`,
			`(?:model|deployment|engine)\b.{0,80}\b(?:not found|(?:does|do) not exist|doesn't exist|is not available|`+
				`not be found|no longer available|not recognized|is not loaded|is deprecated|has been deprecated|`+
				`decommissioned)`,
			`not found, try pulling|no such model|unknown model|invalid model|not a valid model|unrecognized model`,
			`unsupported model|no available channel|no access to model|deploymentnotfound|model_not_found`).
			but(`support (?:image|video|audio|vision)|does not exist as a file`),
		// nginx, Anthropic's edge, Groq, Gemini, Go, Express
		none("request-size", record.RequestTooLarge,
			`request entity too large|payload too large|request (?:body |payload |size )?(?:is )?too (?:large|long)`,
			`request exceeds|request (?:payload )?size exceeds|request_too_large|(?:request )?body (?:is )?too large`,
			`body exceeded|payload size exceeds|content too large|maximum request (?:body )?size`,
			`requestentitytoolarge|payloadtoolarge`),
		// Copilot, Anthropic, OpenAI, AWS
		none("header", record.MissingHeader,
			`copilot-vision-request|missing (?:a )?(?:required )?\S* ?headers?\b|header (?:is )?(?:required|missing)`,
			`anthropic-(?:beta|version)|x-api-key|api[- _]?key|authentication[_ ]?(?:error|failed|required)`,
			`invalid (?:authentication|credentials|bearer|token)|bearer token|security token`,
			`token (?:has |is )?(?:expired|invalid)|signature we calculated|no credentials|could not load credentials`,
			`not authorized to (?:perform|use|invoke)|(?:does not|don't|do not) have access to (?:the |this )?model`),
		// OpenAI, Azure, Anthropic, OpenRouter, DashScope, Gemini
		none("policy", record.Policy,
			`content[- _](?:filter|management|polic|safety)|output blocked|was flagged|flagged for`,
			`requires moderation|moderation system|responsible ?ai|prohibited[_ ]content`,
			`safety (?:settings|filters?|reasons)|inappropriate content|usage polic|data_inspection_failed`).
			but(ownImage),
		// Anthropic, OpenAI: faults that stand beside images, or name them in a list
		none("other-field", record.Schema,
			`cache_control|text content blocks must|must be non-empty|non-?whitespace|thinking|thought_?signature`,
			"`signature`|encrypted_content|response_format|temperature|max_(?:output_|completion_)?tokens",
			`stream_options|roles must alternate|role .{0,40}(?:alternate|not supported|must be)`,
			`final (?:assistant|message)|prefill`,
			`invalid value: '(?:text|output_text|input_text|refusal|reasoning|tool_result|tool_use|thinking|summary_text)'`,
			`input tag '(?:text|thinking|redacted_thinking|reasoning|tool_use|tool_result|tool|function|server_tool_use|output_text|refusal)' found`).
			but(
				`invalid base64 (?:image|data)|could not process image|cannot identify image|image file is truncated`,
				`(?:image|video|audio|pdf)\S* (?:is|are) not (?:currently )?supported`,
				`image_urls? (?:is|are) only (?:allowed|supported)`,
				`(?:does|do)(?: not|n't) support (?:image|vision|video|audio|multimodal)`),
	}
}

// ownImage is a policy's wording that names the client's picture.
const ownImage = `(?:input|uploaded|provided|attached|supplied|submitted|your|this) (?:input )?(?:image|video|picture|photo|audio)s?\b`
