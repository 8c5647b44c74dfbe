package failure

import (
	"regexp"
	"strconv"

	"imagebreaker/internal/record"
)

// A wrapped status is how a fetch of media ended, quoted inside an answer that
// has a status of its own.
type wrapped struct {
	name string
	re   *regexp.Regexp // its first non-empty group is the status
	// firm: an HTTP client library's own grammar, which stands for a fetch even
	// if no word near it speaks of media.
	firm bool
}

func firmly(name, pattern string) wrapped { return wrapped{name, compile(pattern), true} }
func loosely(name, pattern string) wrapped {
	return wrapped{name: name, re: compile(pattern)}
}

// phrase is a status in words.
const phrase = `(?:bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable|` +
	`request timeout|conflict|gone|length required|payload too large|unsupported media type|range not satisfiable|` +
	`unprocessable|locked|too early|too many requests|unavailable for legal|internal server error|not implemented|` +
	`bad gateway|service unavailable|gateway time-?out)`

// statuses lists the ways to quote one. The last match in a text is the
// innermost; firm ones go before the others.
func statuses() []wrapped {
	return []wrapped{
		firmly("aiohttp", `\b([45]\d\d), message=`),
		firmly("requests", `\b([45]\d\d) (?:client|server) error\b`),
		firmly("httpx", `(?:client|server) error '([45]\d\d)\b`),
		firmly("reqwest", `http status (?:client|server) error \(([45]\d\d)\b`),
		firmly("urllib3", `too many ([45]\d\d) error responses`),
		firmly("ffmpeg", `server returned ([45]\d\d) \w`),
		// LiteLLM, OpenAI, new-api, Go programs
		loosely("status-code", `\bstatus[ _-]?code(?: is| was| of)?[:=]? ?\(?([45]\d\d)\b`),
		loosely("status", `\bstatus(?: is| was| of)?[:=]? ?['"]?\(?([45]\d\d)\b`),
		// vLLM, Pollinations, urllib
		loosely("http", `\bhttp(?:/[\d.]+|s?)(?: error| status| response)?[:=]? ?\(?([45]\d\d)\b`),
		loosely("returned", `\b(?:returned|got|received|(?:responded|replied|answered)(?: with)?|response(?: code)?|error code)(?: an?)?(?: http)?[:=]? ?\(?([45]\d\d)\b`),
		loosely("phrase", `\b([45]\d\d)(?: -|:)? \(?`+phrase),
		loosely("colon", `(?:download|fetch|retriev)\w*[^:]{0,80}: ?([45]\d\d)\b`),
		loosely("bracket", `\(([45]\d\d)\)`),
	}
}

// ownStatuses are those that are not a media host's: the upstream's own, a model
// host's, a gateway's.
func ownStatuses() []echo {
	return []echo{
		// OpenAI's and Anthropic's SDKs: Error code: 400 - {…}
		replace("sdk", `error code: \d{3} - `, ""),
		// AWS SDK for Go
		replace("aws", `https response error statuscode: \d{3}`, ""),
		// Dify: a model provider's answer
		replace("api-request", `api request failed with status(?: code)? \d{3}`, ""),
		// Dynamo: HTTP 500 for URL: what went wrong. See fallbackStatuses
		replace("for-url", `http \d{3} for <url>`, "for <url>"),
		// gateways begin with what they answer themselves: HTTP error 500: …
		replace("prefix", `^(?:(?:upstream|api|http|error|status|code|response) ?)+[:=]? ?\d{3}(?: `+phrase+`)?(?:: |, | - )`, ""),
		replace("phrase-prefix", `^\d{3} `+phrase+`(?:: | - )`, ""),
	}
}

// fallbackStatuses are asked when no wording was known.
func fallbackStatuses() []wrapped {
	return []wrapped{
		// Dynamo: its own status for a fetch, if nothing behind it says more
		loosely("for-url", `http ([45]\d\d) for <url>`),
	}
}

func (e *engine) fallbackStatus(text string) (fetched, bool) {
	for _, w := range e.fallbackStatuses {
		if m := w.re.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1])
			return fetched{rule: "fetch-" + w.name, status: n, media: true}, true
		}
	}
	return fetched{}, false
}

var (
	fetching = compile(
		`(?:download|fetch|retriev|\bload|\bget\b|getting|access|\bread|reach)\w*(?: \S+){0,4}? (?:from )?(?:the |`+
			`an? )?<?(?:ITEM|pdf|document|attachment|file|url)\b`,
		`\b(?:ITEM|pdf|document|attachment|file|url)\b(?: \S+){0,4}? (?:download|fetch|retriev|load|access)`,
		`(?:image|video|audio|media|multimodal) (?:data|url|file|link|host|server|source)`)
	ofMedia  = compile(`\b(?:ITEM|image_url|video_url|audio_url|pdf)\b`)
	notMedia = regexp.MustCompile(`unsupported media type`)
	// services that a status may come from instead
	ofService = compile(
		`webhook|callback|oauth|auth service|identity provider|guardrail|moderation service|vector store`,
		`tokenizer|hugging ?face|model weights|licen[sc]e|telemetry|\bembeddings?\b|\bdatabase\b`,
		`chat completions?|\bmodel server|inference server`)
)

// fetched is a wrapped status that is the media host's.
type fetched struct {
	rule   string
	status int
	media  bool // false: some other service's
	firm   bool
}

// hostStatus finds the innermost wrapped status in a message.
func (e *engine) hostStatus(s subject, text string) (fetched, bool) {
	text = cut(e.ownStatuses, text)
	best, at := fetched{}, -1
	for _, w := range e.statuses {
		all := w.re.FindAllStringSubmatchIndex(text, -1)
		if len(all) == 0 || best.firm && !w.firm {
			continue
		}
		if m := all[len(all)-1]; w.firm && !best.firm || m[2] > at {
			at = m[2]
			best = fetched{rule: "fetch-" + w.name, firm: w.firm}
			best.status, _ = strconv.Atoi(text[m[2]:m[3]])
		}
	}
	if at < 0 {
		return best, false
	}
	best.media = aboutMedia(s, text, best.firm)
	return best, true
}

// aboutMedia decides whose status it is.
func aboutMedia(s subject, text string, firm bool) bool {
	text = notMedia.ReplaceAllString(text, "")
	if ofService.MatchString(text) {
		return false
	}
	where := unknownPlace
	if n := len(s.address); n > 0 {
		where = s.address[n-1].place
	}
	switch where {
	case servicePlace:
		return false
	case innerPlace:
		return fetching.MatchString(text) && ofMedia.MatchString(text)
	case mediaPlace:
		return firm || fetching.MatchString(text)
	case publicPlace:
		return firm || fetching.MatchString(text)
	}
	return fetching.MatchString(text) || firm && len(s.address) > 0
}

// decision judges a wrapped status: a media host's 4xx stays, but for 408.
func (f fetched) decision() decision {
	switch {
	case !f.media && f.status >= 500:
		return decision{record.None, record.ServerError, f.rule}
	case !f.media:
		return decision{record.None, record.Infra, f.rule}
	case f.status == 429:
		return decision{record.Permanent, record.FetchThrottled, f.rule}
	case f.status == 408:
		return decision{record.None, record.FetchTimeout, f.rule}
	case f.status >= 500:
		return decision{record.None, record.Fetch5xx, f.rule}
	}
	return decision{record.Permanent, record.Fetch4xx, f.rule}
}

// network lists the ways in which a fetch fails without a status. None of them
// says anything about the media.
func network() []rule {
	return []rule{
		// aiohttp, requests, httpx, Go, OpenAI, Dynamo
		none("timeout", record.FetchTimeout, `timed? ?out|time-?out|deadline exceeded|etimedout`),
		none("connection", record.FetchNetwork,
			`connection (?:was )?(?:reset|refused|aborted|closed|dropped|lost)|connection to \S+ refused`,
			`cannot connect to host|can't connect|failed to connect|failed to establish|could not connect`,
			`server disconnected|remote end closed|peer closed|econn|socket hang ?up|broken pipe`,
			`network is unreachable|no route to host|networkerror|network error|clientpayloaderror|incompleteread`,
			`incomplete (?:read|chunked)|payload is not completed`),
		none("name", record.FetchNetwork,
			`name or service not known|no such host|getaddrinfo|name resolution|nodename nor servname`,
			`could not resolve|resolve host|\bdns\b|\benotfound|no address associated`),
		none("tls", record.FetchNetwork, `certificate|\bssl\w*error|\[ssl|tls handshake|\btls:|x509`),
		// LiteLLM, urllib3, reqwest, Go
		none("gave-up", record.FetchNetwork,
			`after \d+ (?:attempts|retries|tries)|max retries exceeded|error sending request|dial tcp|fetch failed`,
			`all connection attempts failed|urlopen error`),
	}
}
